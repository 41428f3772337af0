import { publishes, type Shape } from './shapes.ts';

const npm: readonly Shape[] = [
  publishes(
    /^(?:publish|unpublish|deprecate|dist-tag (?:add|rm)|owner (?:add|rm)|access)\b/,
    'publishes or withdraws a package',
  ),
  publishes(
    /^(?:npm|version) publish\b|^-r publish|^(?:workspaces? .*)?(?:npm )?publish\b/,
    'publishes a package',
  ),
];

/** What publishes packages, releases and images, by program. */
export const publishing: Readonly<Record<string, readonly Shape[]>> = {
  npm,
  pnpm: npm,
  yarn: npm,
  bun: npm,
  lerna: [publishes(/^publish\b/, 'publishes packages')],
  changeset: [publishes(/^publish\b/, 'publishes packages')],
  'semantic-release': [publishes(/^/, 'publishes a release')],
  np: [publishes(/^/, 'publishes a package')],
  cargo: [publishes(/^(?:publish|yank|owner)\b/, 'publishes or withdraws a crate')],
  twine: [publishes(/^upload\b/, 'publishes a package')],
  flit: [publishes(/^publish\b/, 'publishes a package')],
  poetry: [publishes(/^publish\b/, 'publishes a package')],
  uv: [publishes(/^publish\b/, 'publishes a package')],
  hatch: [publishes(/^publish\b/, 'publishes a package')],
  pdm: [publishes(/^publish\b/, 'publishes a package')],
  gem: [publishes(/^(?:push|yank|owner)\b/, 'publishes or withdraws a gem')],
  mvn: [publishes(/(?:^| )deploy\b|release:perform/, 'publishes an artifact')],
  gradle: [publishes(/(?:^| )publish\w*\b/, 'publishes an artifact')],
  gradlew: [publishes(/(?:^| )publish(?!ToMavenLocal)\w*\b/, 'publishes an artifact')],
  dotnet: [publishes(/^nuget (?:push|delete)\b/, 'publishes a package')],
  nuget: [publishes(/^(?:push|delete)\b/, 'publishes a package')],
  dart: [publishes(/^pub publish\b/, 'publishes a package')],
  flutter: [publishes(/^pub publish\b/, 'publishes a package')],
  vsce: [publishes(/^(?:publish|unpublish)\b/, 'publishes an extension')],
  ovsx: [publishes(/^publish\b/, 'publishes an extension')],
  goreleaser: [publishes(/^release\b(?!.*--(?:snapshot|skip[= ]publish))/, 'publishes a release')],
  jsr: [publishes(/^publish\b/, 'publishes a package')],
  deno: [publishes(/^publish\b/, 'publishes a package')],
  skopeo: [publishes(/^(?:copy|sync|delete)\b.*docker:\/\//, 'publishes or deletes an image')],
  vercel: [publishes(/(?:^|^deploy .*)--prod\b/, 'puts a version into production')],
  netlify: [publishes(/^deploy\b.*--prod\b/, 'puts a version into production')],
  fly: [publishes(/^deploy\b/, 'puts a version into production')],
  flyctl: [publishes(/^deploy\b/, 'puts a version into production')],
  firebase: [publishes(/^deploy\b/, 'puts a version into production')],
  wrangler: [publishes(/^(?:deploy|publish)\b/, 'puts a version into production')],
  serverless: [publishes(/^deploy\b/, 'puts a version into production')],
  sls: [publishes(/^deploy\b/, 'puts a version into production')],
};
