import type * as OpenidClient from 'openid-client';
import { HookmachineError } from '../base/errors.ts';
import { messageOf } from '../base/message-of.ts';
import { isNotInstalled, loadPackage } from '../base/optional-package.ts';
import { refused } from './refused.ts';

/** A provider of identities, as this hub is registered with it. */
export interface OidcOptions {
  /** Such as `https://accounts.example`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a browser keeps while its user is with the provider. */
export interface SigningIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Signing in by OpenID Connect: the code flow, with PKCE. */
export class SignIn {
  readonly #client: typeof OpenidClient;
  readonly #options: OidcOptions;
  readonly #redirect: string;
  #found: Promise<OpenidClient.Configuration> | undefined;

  private constructor(client: typeof OpenidClient, options: OidcOptions, redirect: string) {
    this.#client = client;
    this.#options = options;
    this.#redirect = redirect;
  }

  /** @throws {HookmachineError} `ARGUMENT_INVALID` if `openid-client` is not installed */
  static async with(options: OidcOptions, redirect: string): Promise<SignIn> {
    const loaded = await loadPackage('openid-client').catch((cause: unknown) => {
      if (!isNotInstalled(cause, 'openid-client')) throw cause;
      throw new HookmachineError(
        'ARGUMENT_INVALID',
        'Signing in by OpenID Connect needs the package openid-client, which is not installed; install it: npm i openid-client',
        { cause },
      );
    });
    return new SignIn(loaded as typeof OpenidClient, options, redirect);
  }

  /** Asks the provider where its parts are; if it is out of reach, the next attempt asks again. */
  #discover(): Promise<OpenidClient.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    const isOwn = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
    // Only a provider on this machine may do without encryption.
    const execute = isOwn && url.protocol === 'http:' ? [this.#client.allowInsecureRequests] : [];
    this.#found ??= this.#client
      .discovery(url, clientId, clientSecret, undefined, { execute })
      .catch((error: unknown) => {
        this.#found = undefined;
        throw refused(`the provider of identities cannot be used: ${messageOf(error)}`);
      });
    return this.#found;
  }

  /** Returns where to send the browser, and what it keeps meanwhile. */
  async begin(): Promise<{ readonly address: URL; readonly kept: SigningIn }> {
    const found = await this.#discover();
    const verifier = this.#client.randomPKCECodeVerifier();
    const kept = {
      state: this.#client.randomState(),
      nonce: this.#client.randomNonce(),
      verifier,
    };
    const address = this.#client.buildAuthorizationUrl(found, {
      redirect_uri: this.#redirect,
      scope: 'openid email',
      code_challenge: await this.#client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: kept.state,
      nonce: kept.nonce,
    });
    return { address, kept };
  }

  /**
   * Takes what the provider says of the user of the browser, and returns their address.
   *
   * @throws {HookmachineError} `HUB_REFUSED` if it is not what was asked for, or if the address was not verified
   */
  async end(query: URLSearchParams, { state, nonce, verifier }: SigningIn): Promise<string> {
    const found = await this.#discover();
    const address = new URL(this.#redirect);
    address.search = query.toString();
    const tokens = await this.#client
      .authorizationCodeGrant(found, address, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      })
      .catch((error: unknown) => {
        throw refused(`signing in failed: ${messageOf(error)}`);
      });
    const claims = tokens.claims();
    const email = claims?.['email'];
    if (typeof email !== 'string' || claims?.['email_verified'] !== true)
      throw refused('the provider of identities says no verified e-mail address of this user');
    return email;
  }
}
