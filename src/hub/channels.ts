import { createHmac } from 'node:crypto';
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import type { Approval } from '../durable/approvals.ts';
import { HookmachineError } from '../base/errors.ts';
import { isNotInstalled, loadPackage } from '../base/optional-package.ts';
import { isEncrypted } from '../durable/encrypted-store.ts';
import type { Channel } from './hub-settings.ts';

/** How long a channel may take to accept a message, in ms. */
const longest = 15_000;

/** How much of the arguments is told, in characters. */
const mostShown = 2_000;

/** What is said about a question. */
interface Message {
  readonly title: string;
  readonly text: string;
  readonly link: string;
  readonly approval: Approval;
  readonly shown: string | undefined;
}

/** Sends a message about a question; `link` leads to it. @throws if it was not accepted */
export async function send(channel: Channel, approval: Approval, link: string): Promise<void> {
  const { id, tool, reason, workspace, machine, risk, shown } = approval;
  const place = machine === undefined ? workspace : `${workspace} on ${machine}`;
  const where = risk === undefined ? place : `${place}, risk: ${risk}`;
  const message: Message = {
    title: `May ${tool} run?`,
    text: `${id}: ${reason ?? 'a hook asks'} (${where})`,
    link,
    approval,
    shown: channel.arguments && !isEncrypted(shown) ? shown.slice(0, mostShown) : undefined,
  };
  switch (channel.to) {
    case 'webhook':
      return post(channel.url, ...webhook(channel, message));
    case 'slack':
      return post(channel.url, slack(message));
    case 'teams':
      return post(channel.url, teams(message));
    case 'ntfy':
      return post(...ntfy(channel, message));
    case 'email':
      return email(channel, message);
  }
}

/** As https://www.standardwebhooks.com says, with the signature that receivers check. */
function webhook(
  { secret }: Extract<Channel, { to: 'webhook' }>,
  { approval, link, shown }: Message,
): [body: object, headers: Readonly<Record<string, string>>] {
  const { id, call, workspace, session, machine, tool, reason, risk, digest, askedAt, expiresAt } = approval; // prettier-ignore
  const question = { id, call, workspace, session, machine, tool, reason, risk, digest, askedAt, expiresAt, link }; // prettier-ignore
  const now = new Date();
  const body = {
    type: 'approval.asked',
    timestamp: now.toISOString(),
    data: { ...question, ...(shown !== undefined && { arguments: shown }) },
  };
  const seconds = Math.floor(now.getTime() / 1_000);
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(seconds) };
  if (secret === undefined) return [body, headers];
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${id}.${seconds}.${JSON.stringify(body)}`;
  const signature = createHmac('sha256', key).update(signed).digest('base64');
  return [body, { ...headers, 'webhook-signature': `v1,${signature}` }];
}

/** A mrkdwn text of Slack, in which only these signs mean something. */
const forSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const slack = ({ title, text, link, shown }: Message): object => ({
  text: forSlack(`${title} ${text}`),
  blocks: [
    { type: 'section', text: { type: 'mrkdwn', text: `*${forSlack(title)}*\n${forSlack(text)}` } },
    ...(shown === undefined
      ? []
      : [{ type: 'section', text: { type: 'plain_text', text: shown } }]),
    {
      type: 'actions',
      elements: [{ type: 'button', text: { type: 'plain_text', text: 'Answer' }, url: link }],
    },
  ],
});

const teams = ({ title, text, link, shown }: Message): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          { type: 'TextBlock', text: title, weight: 'Bolder', wrap: true },
          { type: 'TextBlock', text, wrap: true },
          ...(shown === undefined
            ? []
            : [{ type: 'TextBlock', text: shown, wrap: true, fontType: 'Monospace' }]),
        ],
        actions: [{ type: 'Action.OpenUrl', title: 'Answer', url: link }],
      },
    },
  ],
});

function ntfy(
  { url, token }: Extract<Channel, { to: 'ntfy' }>,
  { title, text, link, shown }: Message,
): [url: string, body: object, headers: Readonly<Record<string, string>>] {
  // A topic takes plain text with headers, which allow no other letters; its server takes JSON.
  const topic = new URL(url);
  const path = topic.pathname.split('/');
  const name = decodeURIComponent(path.pop() ?? '');
  topic.pathname = `${path.join('/')}/`;
  const message = shown === undefined ? text : `${text}\n${shown}`;
  const actions = [{ action: 'view', label: 'Answer', url: link }];
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return [topic.href, { topic: name, title, message, click: link, actions }, headers];
}

let agent: Dispatcher | undefined;

/** @throws if the answer is not one of success */
async function post(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  agent ??= new EnvHttpProxyAgent();
  const { statusCode, body: answer } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    dispatcher: agent,
    signal: AbortSignal.timeout(longest),
  });
  await answer.dump();
  if (statusCode < 200 || statusCode > 299)
    throw new Error(`${new URL(url).host} answered with HTTP status ${statusCode}`);
}

/** What is used of nodemailer. */
interface Nodemailer {
  createTransport(
    url: string,
    defaults: object,
  ): { sendMail(mail: object): Promise<unknown>; close(): void };
}

async function email(
  { smtp, from, recipients }: Extract<Channel, { to: 'email' }>,
  { title, text, link, shown }: Message,
): Promise<void> {
  const loaded = await loadPackage('nodemailer').catch((cause: unknown) => {
    if (!isNotInstalled(cause, 'nodemailer')) throw cause;
    throw new HookmachineError(
      'ARGUMENT_INVALID',
      'E-mail needs the package nodemailer, which is not installed; install it: npm i nodemailer',
      { cause },
    );
  });
  const nodemailer = (loaded as { readonly default: Nodemailer }).default;
  const transport = nodemailer.createTransport(smtp, { from });
  try {
    const lines = [text, ...(shown === undefined ? [] : ['', shown]), '', `Answer: ${link}`, ''];
    await transport.sendMail({ to: recipients, subject: title, text: lines.join('\n') });
  } finally {
    transport.close();
  }
}
