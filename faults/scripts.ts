import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { allow, type Fault } from './fault.ts';

/** Faults of the script that a hook's command names. */
export const scriptFaults: readonly Fault[] = [
  { name: 'script missing', expected: 'failure', command: './gone.sh' },
  { name: 'program missing', expected: 'failure', command: 'no-such-program --check' },
  {
    name: 'script not executable',
    expected: 'failure',
    command: './guard.sh',
    files: { 'guard.sh': 'exit 2' },
  },
  {
    name: 'wrong interpreter',
    expected: 'failure',
    command: './guard.sh',
    files: { 'guard.sh': '#!/proc/no-interpreter\nexit 2\n' },
  },
  {
    name: 'interpreter is a folder',
    expected: 'failure',
    command: './guard.sh',
    files: { 'guard.sh': '#!/usr\nexit 2\n' },
  },
  {
    name: 'CRLF after the interpreter',
    expected: 'failure',
    command: './guard.sh',
    files: { 'guard.sh': '#!/bin/sh\r\nexit 2\r\n' },
  },
  // Printing nothing and exiting with 0 is the protocol's way to allow.
  { name: 'empty script', expected: 'allow', command: './guard.sh', files: { 'guard.sh': '' } },
  {
    name: 'syntax error in sh',
    expected: 'denial',
    command: './guard.sh',
    files: { 'guard.sh': '#!/bin/bash\nif then fi (\n' },
  },
  { name: 'unclosed quote in the command', expected: 'denial', command: `echo 'never closed` },
  {
    name: 'syntax error in JavaScript',
    expected: 'failure',
    command: 'node guard.mjs',
    files: { 'guard.mjs': 'if (' },
  },
  {
    name: 'exception in JavaScript',
    expected: 'failure',
    command: 'node guard.mjs',
    files: { 'guard.mjs': 'throw new Error("boom")' },
  },
  {
    name: 'exception in Python',
    expected: 'failure',
    command: 'python3 guard.py',
    files: { 'guard.py': 'raise SystemError("boom")' },
    needs: 'python3',
  },
  {
    name: 'unset variable under set -u',
    expected: 'failure',
    command: 'bash -c "set -u; echo $NOT_SET_AT_ALL; exit 2"; exit 1',
  },
  {
    name: 'script is a folder',
    expected: 'failure',
    command: './folder/',
    files: { 'folder/x': '' },
  },
  {
    name: 'script is garbage',
    expected: 'failure',
    command: './guard',
    files: { guard: '#!/bin/false' },
    before: (folder) => {
      rmSync(join(folder, 'guard'));
      symlinkSync('/dev/null', join(folder, 'guard'));
    },
  },
  {
    name: 'link that leads nowhere',
    expected: 'failure',
    command: './guard',
    before: (folder) => symlinkSync('gone', join(folder, 'guard')),
  },
  {
    name: 'link that leads to itself',
    expected: 'failure',
    command: './guard',
    before: (folder) => symlinkSync('guard', join(folder, 'guard')),
  },
  {
    name: 'script deleted while it runs',
    expected: 'denial',
    command: './guard.sh',
    files: { 'guard.sh': '#!/bin/sh\nsleep 0.4; echo no >&2; exit 2\n' },
    during: (folder) => rmSync(join(folder, 'guard.sh')),
  },
  { name: 'no fault: an allow', expected: 'allow', command: allow },
];
