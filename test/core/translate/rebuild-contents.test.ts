import type { Content } from '@google/genai';
import { describe, expect, test } from 'vitest';
import type { LLMMessage } from '../../../src/core/protocol/llm.ts';
import { defaultHookTranslator } from '../../../src/core/translate/genai-v1.ts';
import { call, frozen, image, model, requestOf, response, user } from './conversation.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const { fromHookLLMRequest, toHookLLMRequest } = defaultHookTranslator;

/** Returns the contents after a hook has changed the list of messages. */
function after(contents: Content[], change: (messages: LLMMessage[]) => LLMMessage[]): unknown {
  const base = frozen(requestOf(...contents));
  const { messages } = toHookLLMRequest(base);
  return fromHookLLMRequest({ messages: frozen(change([...messages])) }, base).contents;
}

const says = (content: string): LLMMessage => ({ role: 'user', content });
const without = (text: string) => (messages: LLMMessage[]) =>
  messages.filter(({ content }) => content !== text);
const instead = (text: string, other: string) => (messages: LLMMessage[]) =>
  messages.map((message) => (message.content === text ? { ...message, content: other } : message));

const look = user('Look', image);
const viewCall = model(call('view'));
const viewed = user(response('view'));
const cat = model('A cat.');
const and = user('And?');
const chat = [look, viewCall, viewed, cat, and];

describe('C-75: messages that the hook left alone stay unchanged', () => {
  test('C-75: a message added in front or at the end leaves the others unchanged (HOOK-039)', () => {
    expect(after(chat, (all) => [says('Note'), ...all])).toEqual([user('Note'), ...chat]);
    expect(after(chat, (all) => [...all, says('Note')])).toEqual([...chat, user('Note')]);
  });

  test('C-75: a message added at the end goes after calls and responses there', () => {
    const open = [look, viewCall, viewed];
    expect(after(open, (all) => [...all, says('Note')])).toEqual([...open, user('Note')]);
  });

  test('C-75: with a message added in the middle, contents without text stay after the message before them', () => {
    expect(after(chat, ([first, ...rest]) => [first!, says('Note'), ...rest])).toEqual([
      look,
      viewCall,
      viewed,
      user('Note'),
      cat,
      and,
    ]);
  });

  test('C-75: an image before all text stays before that text', () => {
    const shown = user(image);
    expect(after([shown, and, cat], (all) => [says('Note'), ...all])).toEqual([
      user('Note'),
      shown,
      and,
      cat,
    ]);
  });

  test('C-75: a conversation in which hooks see nothing stays in front of new messages', () => {
    expect(after([user(image)], () => [says('Note')])).toEqual([user(image), user('Note')]);
  });
});

describe('C-75: changed and new messages are text only', () => {
  test('C-75: an edited message loses its image, and its neighbours lose nothing', () => {
    expect(after(chat, instead('Look', 'Look here'))).toEqual([
      user('Look here'),
      viewCall,
      viewed,
      cat,
      and,
    ]);
  });

  test('C-75: calls stay even if every message is edited, as in a redaction', () => {
    expect(after(chat, (all) => all.map(({ role }) => ({ role, content: '...' })))).toEqual([
      user('...'),
      viewCall,
      viewed,
      model('...'),
      user('...'),
    ]);
  });

  test('C-75: editing a message with a call removes the call’s response too', () => {
    const contents = [and, model('I look.', call('view')), viewed, cat];
    expect(after(contents, instead('I look.', 'I ...'))).toEqual([and, model('I ...'), cat]);
  });

  test('C-75: a message that a hook emptied stays empty, because the original must not be sent', () => {
    expect(after([look], () => [says('')])).toEqual([user('')]);
  });

  test('C-75: a message whose role changed is a new message', () => {
    expect(after([look, cat], ([, last]) => [{ role: 'model', content: 'Look' }, last!])).toEqual([
      model('Look'),
      cat,
    ]);
  });
});

describe('C-76: the order is the hook’s', () => {
  test('C-76: when two messages are swapped, one keeps its parts and the other is new', () => {
    expect(after([look, cat], (all) => all.toReversed())).toEqual([cat, user('Look')]);
  });

  test('C-76: when a message is repeated, only one copy keeps its parts', () => {
    expect(after([look, cat], ([first, last]) => [first!, first!, last!])).toEqual([
      user('Look'),
      look,
      cat,
    ]);
  });

  test('C-76: among messages with equal texts the later one is kept', () => {
    const again = user('Look', { fileData: { fileUri: 'gs://b/2' } });
    expect(after([look, cat, again, model('A dog.')], (all) => all.slice(2))).toEqual([
      again,
      model('A dog.'),
    ]);
  });
});

describe('a call and its response stay or go together', () => {
  test('a call and its response go with a removed message on either side of them', () => {
    expect(after(chat, without('Look'))).toEqual([cat, and]);
    expect(after(chat, without('A cat.'))).toEqual([look, and]);
  });

  test('an image stays as long as one of its neighbours does', () => {
    expect(after([and, user(image), cat], without('And?'))).toEqual([user(image), cat]);
    expect(after([and, user(image), cat], without('A cat.'))).toEqual([and, user(image)]);
    expect(after([and, user(image), cat, look], (all) => all.slice(2))).toEqual([look]);
  });

  test('a response stays or goes with the message that holds its call', () => {
    const looking = model('I look.', call('view'));
    const contents = [and, looking, viewed, cat, user('Bye')];
    expect(after(contents, without('I look.'))).toEqual([and, cat, user('Bye')]);
    expect(after(contents, without('A cat.'))).toEqual([and, looking, viewed, user('Bye')]);
  });

  test('a call goes with the message that holds its response', () => {
    const answered = user(response('view'), 'Seen.');
    const contents = [and, viewCall, answered, cat];
    expect(after(contents, without('Seen.'))).toEqual([and, cat]);
    expect(after(contents, without('And?'))).toEqual([viewCall, answered, cat]);
  });

  test('a message with a call keeps its text when the response’s message is edited', () => {
    const contents = [and, model('I look.', call('view')), user(response('view'), 'Seen.')];
    expect(after(contents, instead('Seen.', 'Noted.'))).toEqual([
      and,
      model('I look.'),
      user('Noted.'),
    ]);
  });

  test('a message inserted between a call and its response moves in front of the call', () => {
    const contents = [and, model('I look.', call('view')), user(response('view'), 'Seen.')];
    expect(
      after(contents, ([ask, looking, seen]) => [ask!, looking!, says('Note'), seen!]),
    ).toEqual([contents[0], user('Note'), contents[1], contents[2]]);
    expect(
      after([and, viewCall, contents[2]!], ([ask, seen]) => [ask!, says('Note'), seen!]),
    ).toEqual([and, user('Note'), viewCall, contents[2]]);
  });

  test('a message inserted between a response and another call stays there', () => {
    const looking = model('I look.', call('view'));
    const reading = model('I read.', call('read'));
    const contents = [and, looking, viewed, reading, user(response('read'), 'Seen.')];
    expect(after(contents, ([ask, first, , seen]) => [ask!, first!, says('Note'), seen!])).toEqual([
      and,
      looking,
      viewed,
      user('Note'),
      user('Seen.'),
    ]);
  });

  test('a thought goes with the call that it led to', () => {
    const contents = [
      and,
      model({ text: 'hmm', thought: true }, call('view')),
      user(response('view'), 'Seen.'),
    ];
    expect(after(contents, instead('Seen.', 'Noted.'))).toEqual([and, user('Noted.')]);
  });

  test('parallel calls answered one by one are one exchange', () => {
    const calls = model('Both.', call('view', '1'), call('view', '2'));
    const contents = [and, calls, user(response('view', '1')), user(response('view', '2')), cat];
    expect(after(contents, (all) => [...all, says('Note')])).toEqual([...contents, user('Note')]);
    expect(after(contents, instead('Both.', 'No.'))).toEqual([and, model('No.'), cat]);
    expect(after(contents, instead('And?', 'Well?'))).toEqual([
      user('Well?'),
      ...contents.slice(1),
    ]);
  });

  test('calls spread over two messages are one exchange', () => {
    const calls = [model('One.', call('view')), model('Two.', call('read'))];
    const contents = [and, ...calls, user(response('view'), response('read'))];
    expect(after(contents, ([ask, one, two]) => [ask!, one!, says('Note'), two!])).toEqual([
      and,
      user('Note'),
      ...contents.slice(1),
    ]);
  });

  test('calls and responses that were unpaired before the hook stay', () => {
    const contents = [and, viewCall, cat, user(response('other'), 'Odd.')];
    expect(after(contents, (all) => [...all, says('Note')])).toEqual([...contents, user('Note')]);
  });
});

const exchange = (name: string): Content[] => [
  user(`Ask ${name}`),
  model(`Calling ${name}.`, call(name)),
  user(response(name)),
  model(`Done ${name}.`),
];

test('recipe 17: the first and the last messages of a chat with tools can be kept', () => {
  const contents = ['one', 'two', 'three'].flatMap(exchange);
  const truncated = after(contents, (all) => [all[0]!, ...all.slice(-4)]);
  expect(truncated).toEqual([contents[0], contents[7], ...contents.slice(8)]);
  // One more cut, now between a call and the text that followed from it.
  expect(after(contents, (all) => [all[0]!, ...all.slice(-2)])).toEqual([
    contents[0],
    contents[9],
    contents[10],
    contents[11],
  ]);
  expect(after(contents, (all) => [all[0]!, ...all.slice(-1)])).toEqual([
    contents[0],
    contents[11],
  ]);
});

test('thousands of calls without text are rebuilt quickly', () => {
  const contents = [look, ...Array.from({ length: 2500 }, () => [viewCall, viewed]).flat(), cat];
  const start = cpuTime();
  expect(after(contents, (all) => [...all, says('Note')])).toHaveLength(5003);
  expect(cpuTime() - start).toBeLessThan(2000);
});

test('thousands of messages that are all edited are rebuilt quickly', () => {
  const contents = Array.from({ length: 1000 }, (_, index) => [
    user(`Ask ${index}`),
    viewCall,
    viewed,
    model(`Done ${index}.`),
  ]).flat();
  const start = cpuTime();
  const changed = after(contents, (all) => all.map((message) => ({ ...message, content: '...' })));
  expect(changed).toHaveLength(4000);
  expect(cpuTime() - start).toBeLessThan(2000);
});
