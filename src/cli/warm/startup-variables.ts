/**
 * The names of variables that a process obeys only when it starts, as a regular expression of JavaScript and of
 * Perl: an event for which they are others needs another process.
 */
export const startupVariables =
  'NODE_(?:OPTIONS|PATH|DEBUG\\w*|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|V8_COVERAGE|ICU_DATA|USE_ENV_PROXY)|HOOKMACHINE_HOOK_LIMIT|LD_\\w+|SSL_CERT_\\w+|OPENSSL_\\w+|UV_\\w+|TZ|LANG|LC_\\w+|DEBUG\\w*';
