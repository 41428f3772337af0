import { execaSync } from 'execa';

/** Builds the package once, because tests of the command run what users run. */
export function setup(): void {
  execaSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'inherit', 'inherit'] });
}
