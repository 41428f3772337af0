import { dirname, join } from 'node:path';
import { aboveGlob } from '../../shell/reading/paths.ts';
import { anyMark, isKnown, starMark, unknownParts } from '../../shell/reading/marks.ts';
import { isSecretFolder } from './secret-files.ts';
import type { RuleContext } from './rule.ts';

/** What kind of place a path is, as far as losing it matters. */
export type Place =
  | 'system'
  | 'home'
  | 'home-part'
  | 'project'
  | 'project-root'
  | 'repository'
  | 'guards'
  | 'keys'
  | 'startup'
  | 'protected'
  | 'device'
  | 'passing'
  | 'elsewhere'
  | 'unknown';

const systemFolders =
  /^\/(?:bin|boot|dev|etc|lib\w*|opt|proc|root|run|sbin|snap|srv|sys|usr|var|System|Library|Applications|Volumes|private|cores|nix|mnt|media)(?:\/|$)/;
/** Folders of data that are in those of the system. */
const data =
  /^\/(?:var|mnt|media|srv|opt|Volumes|snap)\/[^/]+\/.|^\/(?:mnt|media|Volumes|srv)\/[^/]+$/;
const passing =
  /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm|dev\/fd|run\/user\/\d+)(?:\/|$)|^\/dev\/(?:null|stdout|stderr|tty|zero|full)$/;
const device = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper|md|dm-|loop|mem|kmem|port)/;

/** Files that run by themselves: at the start of a shell or a session, or at some time. */
export const startup =
  /(?:^|\/)(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zprofile|zshenv|zlogin|zlogout|cshrc|tcshrc|kshrc|xprofile|xinitrc|xsessionrc|inputrc|pam_environment)|\.config\/(?:fish\/(?:config\.fish|conf\.d\/.*|functions\/.*)|autostart\/.*|systemd\/user\/.*|environment\.d\/.*)|Library\/Launch(?:Agents|Daemons)\/.*|\.ssh\/(?:authorized_keys2?|rc|config|environment)|\.gitconfig|\.config\/git\/config)$|^\/etc\/(?:cron|profile|bash|zsh|rc|init|systemd|sudoers|ld\.so|pam\.d|environment|xdg\/autostart)|^\/(?:usr\/)?lib\/systemd\/|^\/var\/spool\/(?:cron|at)/;

/** Folders below home that programs fill by themselves. */
const caches =
  /^(?:\.cache|\.npm|\.yarn|\.pnpm-store|\.cargo\/registry|\.gradle\/caches|\.m2\/repository|\.nuget|go\/pkg|\.bun|\.deno|\.local\/share\/(?:pnpm|Trash)|Library\/(?:Caches|Developer\/Xcode\/DerivedData)|\.node-gyp|\.electron|\.ccache|\.docker\/buildx|\.parcel-cache|\.rustup\/(?:tmp|downloads)|\.vscode-server\/data\/logs|\.pytest_cache)(?:\/|$)/;

/** Whether one path is the other, or above it. */
export const isAbove = (above: string, path: string): boolean =>
  above === '/' ? path.startsWith('/') : path === above || path.startsWith(`${above}/`);

/** Returns the path of which a pattern at the end names the content; undefined if there is none. */
function contentOf(path: string): string | undefined {
  const cut = aboveGlob(path);
  if (cut === path) return undefined;
  const rest = path.slice(cut === '/' ? 1 : cut.length + 1);
  return new RegExp(`^[${starMark}${anyMark}.*]+(?:/[${starMark}]+)*$`).test(rest)
    ? cut
    : undefined;
}

/**
 * Returns what kind of place a path is. `isTree` asks about everything below it, so that a folder above the
 * home folder counts as the home folder.
 */
export function placeOf(path: string, isTree: boolean, context: RuleContext): Place {
  if (!isKnown(path)) return placeOfUnknown(path, isTree, context);
  const content = contentOf(path);
  if (content !== undefined) return placeOf(content, isTree, context);
  const above = aboveGlob(path);
  const plain = above === path ? path : join(above, isTree ? 'x' : 'x/x');
  return placeOfKnown(plain, isTree, context);
}

function placeOfKnown(path: string, isTree: boolean, context: RuleContext): Place {
  const { project, home } = context;
  if (device.test(path)) return 'device';
  const isInProject = isAbove(project, path);
  if (context.isProtected(path)) return 'protected';
  if (path === '/') return 'system';
  if (path === project || (isTree && isAbove(path, project))) {
    if (isAbove(path, home)) return 'home';
    return path !== project && systemFolders.test(path) && !isAbove(home, path)
      ? 'system'
      : 'project-root';
  }
  if (path === home || (isTree && isAbove(path, home))) return 'home';
  if (context.isGuarded(path, isTree)) return 'guards';
  if (
    /(?:^|\/)\.git(?:\/(?!(?:index\.lock|COMMIT_EDITMSG|MERGE_MSG|hooks\/[^/]*\.sample|.*\.lock)$).*)?$/.test(
      path,
    )
  )
    return 'repository';
  if (isInProject) return 'project';
  if (passing.test(path) && !isAbove(home, path)) return 'passing';
  if (startup.test(path)) return 'startup';
  if (isAbove(home, path)) {
    if (isSecretFolder(path) || context.isSecretFile(path)) return 'keys';
    if (caches.test(path.slice(home.length + 1))) return 'passing';
    return dirname(path) === home ? 'home-part' : 'elsewhere';
  }
  if (data.test(path)) return 'elsewhere';
  if (systemFolders.test(path)) return 'system';
  if (/^\/(?:home|Users)\/?[^/]*$/.test(path)) return 'home';
  return 'elsewhere';
}

/** Of a path with an unknown part, what it would be if that part were empty or `..` decides. */
function placeOfUnknown(path: string, isTree: boolean, context: RuleContext): Place {
  const first = path.search(unknownParts);
  const start = path.slice(0, first);
  const known = start.slice(0, start.lastIndexOf('/') + 1);
  if (known.length > 1) {
    const place = placeOf(known.replace(/\/$/, ''), false, context);
    if (place === 'passing' || place === 'project' || place === 'project-root')
      return place === 'project-root' ? 'project' : place;
    return isTree ? place : 'elsewhere';
  }
  const empty = path.replaceAll(unknownParts, '');
  if (!isTree) return 'elsewhere';
  if (empty === '' || !empty.startsWith('/')) return 'unknown';
  const place = placeOf(empty.replace(/(?<=.)\/+$/, ''), isTree, context);
  return place === 'system' || place === 'home' ? 'unknown' : 'elsewhere';
}
