// A hook with a bug.
throw new Error('this hook has a bug');
