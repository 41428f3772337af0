/*
 * Where commands have passwords. This is for texts of any kind, such as logs, in which commands stand among other
 * words; what a command would do is read in `reading/`.
 */

/** Options that take a password although their names do not say so, such as `-p` of mysql. */
export const passwordOptions: readonly (readonly [programs: RegExp, option: RegExp])[] = [
  [/^(?:mysql|mariadb)\w*$/, /\s-p(?=\S)/g],
  [/^sshpass$/, /\s-p\s*/g],
  [/^mongo\w*$/, /\s-p\s*/g],
  [/^(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az)$/, /(?:\slogin\b[^\n]*?\s)-p\s+/g],
  [/^redis-cli$/, /\s-a\s+/g],
  [/^(?:7z\w?|7za|rar|unrar)$/, /\s-p(?=\S)/g],
  [/^(?:zip|unzip|sqlcmd|bcp|osql)$/, /\s-P\s*/g],
  [/^ldap\w+$/, /\s-w\s*/g],
  [/^(?:openssl)$/, /\s(?:-passin|-passout|-pass|-passwd)\s+(?:pass:)?|\s-k\s+/g],
  [/^(?:curl|http|https|xh)$/, /\s-b\s*/g],
  [/^(?:ncftp\w*|lftp|ipmitool)$/, /\s-[pP]\s*/g],
  [/^htpasswd$/, /\s-\w*b\w*\s+\S+\s+\S+\s+/g],
  [/^ssh-keygen$/, /\s-[NP]\s*/g],
  [/^(?:kubectl|oc)$/, /\s--from-literal[\s=]+[\w.-]+=/g],
  [/^smbclient$/, /\s-U\s+[^\s%]+%/g],
  [/^gh$/, /\s(?:--body|-b)[\s=]+/g],
  [/^security$/, /\s-w\s+/g],
];

const programs =
  /(?<![\w.-])(?:mysql\w*|mariadb\w*|sshpass|mongo\w*|docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|redis-cli|7z\w?|7za|rar|unrar|zip|unzip|sqlcmd|bcp|osql|ldap\w+|openssl|curl|https?|xh|ncftp\w*|lftp|ipmitool|htpasswd|smbclient|ssh-keygen|kubectl|oc|gh|security)(?=\s)/g;

/** Matches the name of a program with such options, with its folder. */
export const programName = new RegExp(
  String.raw`^(?:.{0,200}\/)?(?:${programs.source.replaceAll(/\(\?<![^)]*\)|\(\?=\\s\)/g, '')})$`,
);

/** A command in a text: its program, and where its arguments are. */
interface CommandInText {
  readonly program: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the commands in a text whose programs have such options, each up to the end of its part of the line. */
export function* commandsIn(text: string): Generator<CommandInText> {
  const finder = new RegExp(programs);
  for (let found; (found = finder.exec(text));) {
    const start = finder.lastIndex;
    const length = text.slice(start).search(/[\n|;&]/);
    const end = length === -1 ? text.length : start + length;
    yield { program: found[0], start, end };
    finder.lastIndex = end;
  }
}
