import { basename } from 'node:path';
import { isKnown, starMark } from '../../shell/reading/marks.ts';
import type { Disk } from '../../shell/reading/disk.ts';

const names =
  /^(?:\.env(?:\.(?!example|sample|template|dist|test$|schema|defaults?)[\w.-]+)?|\.envrc|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.my\.cnf|\.vault[-_]token|\.dockercfg|credentials\.json|service[-_]account[\w-]*\.json|client_secret[\w-]*\.json|secrets?\.(?:ya?ml|json|toml|env)|terraform\.tfstate(?:\.backup)?|.*\.tfvars|.*\.(?:p12|pfx|jks|keystore|kdbx|ppk|p8|asc\.key)|(?:.*[-_.])?(?:priv(?:ate)?[-_.]?key|privkey)(?:[-_.]\w+)?(?:\.pem|\.key)?|.*-key\.pem|key\.pem|(?:server|tls|client|ca|ssl|private|domain|host)\.key|master\.key|wp-config\.php|shadow|gshadow|sudoers)$/i;

const places =
  /(?:^|\/)(?:\.ssh\/(?!config$|known_hosts|authorized_keys|.*\.pub$)[^/]+|\.gnupg\/(?:private-keys[^/]*\/.*|secring\.gpg)|\.aws\/credentials|\.aws\/(?:sso|cli)\/cache\/.*|\.kube\/config|\.docker\/config\.json|\.config\/gh\/hosts\.yml|\.config\/gcloud\/(?:credentials\.db|application_default_credentials\.json|access_tokens\.db|legacy_credentials\/.*)|\.azure\/(?:accessTokens|msal_token_cache)[^/]*|\.cargo\/credentials(?:\.toml)?|\.terraform\.d\/credentials\.tfrc\.json|\.password-store\/.*|\.config\/op\/.*|\.local\/share\/keyrings\/.*|Library\/Keychains\/.*|\.mozilla\/firefox\/.*\/(?:logins\.json|key4\.db|cookies\.sqlite)|\.config\/(?:google-chrome|chromium)\/.*\/(?:Login Data|Cookies)|\.git-credentials|\.claude\/\.credentials\.json|\.codex\/auth\.json|\.gemini\/oauth_creds\.json|proc\/(?:self|\d+|\$\$)\/environ|etc\/(?:shadow|gshadow|sudoers)|var\/run\/secrets\/.*|run\/secrets\/.*|\.bash_history|\.zsh_history|\.python_history|\.psql_history|\.mysql_history)$/;

const folders =
  /(?:^|\/)(?:\.ssh|\.gnupg|\.aws|\.password-store|\.local\/share\/keyrings|Library\/Keychains|run\/secrets)$/;

/** Whether a file holds secrets, by its path; a `.pem` or `.npmrc` only if its content says so. */
export function isSecretPath(path: string, disk: Disk): boolean {
  if (path.length > 4_096) return false;
  const pattern = path.replaceAll(starMark, '');
  if (!isKnown(path) && pattern === '') return false;
  const name = basename(path);
  if (path.includes(starMark))
    return (
      /(?:^|\/)(?:\.ssh|\.gnupg|\.aws)\/[^/]*$/.test(path) ||
      name.startsWith('.env') ||
      name.startsWith('id_')
    );
  if (name.endsWith('.pub') || (/^shadow$|^sudoers$/i.test(name) && !/\/etc\//.test(path)))
    return false;
  if (/^\.npmrc$/i.test(name)) return /_auth|_password/i.test(disk.read(path) ?? '');
  if (/^wp-config\.php$/.test(name)) return disk.kindOf(path) !== undefined;
  if (folders.test(path)) return true;
  if (
    /^(?:secrets?|credentials)\.(?:ya?ml|json|toml|env)$/i.test(name) ||
    names.test(name) ||
    places.test(path)
  )
    return true;
  return /\.(?:pem|key)$/i.test(name) && /PRIVATE KEY/.test(disk.read(path)?.slice(0, 4_096) ?? '');
}

/** Whether a folder is one of keys. */
export const isSecretFolder = (path: string): boolean => folders.test(path);
