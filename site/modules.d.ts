declare module '*.vue' {
  import type { DefineComponent } from 'vue';

  const component: DefineComponent;
  export default component;
}

declare module 'path-browserify' {
  import type { PlatformPath } from 'node:path';

  const path: PlatformPath;
  export default path;
  export const posix: PlatformPath;
}

declare module '*.css';

declare module '*.svg?raw' {
  const text: string;
  export default text;
}

interface ImportMeta {
  readonly env: { readonly SSR: boolean };
}
