export { HookmachinePlugin } from 'hookmachine/opencode';
