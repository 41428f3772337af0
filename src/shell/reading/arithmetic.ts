import type { ArithmeticExpression } from 'unbash';

/** Works out an arithmetic expression; undefined if it cannot be known. */
export function arithmeticOf(
  expression: ArithmeticExpression | undefined,
  valueOf: (name: string) => string,
): number | undefined {
  if (expression === undefined) return undefined;
  const of = (inner: ArithmeticExpression): number | undefined => arithmeticOf(inner, valueOf);
  switch (expression.type) {
    case 'ArithmeticWord': {
      const text = expression.value.trim().replace(/^\$\{?(\w+)\}?$/, '$1');
      const based = /^(\d+)#(\w+)$/.exec(text);
      if (based) return whole(Number.parseInt(based[2]!, Number(based[1])));
      if (/^0\d/.test(text)) return whole(Number.parseInt(text, 8));
      if (/^(?:0x[\da-f]+|\d+)$/i.test(text)) return Number(text);
      if (!/^[A-Za-z_]\w*$/.test(text)) return undefined;
      const value = valueOf(text);
      return /^-?\d+$/.test(value) ? Number(value) : undefined;
    }
    case 'ArithmeticGroup':
      return of(expression.expression);
    case 'ArithmeticUnary': {
      const value = of(expression.operand);
      if (value === undefined) return undefined;
      return { '-': -value, '+': value, '!': Number(value === 0), '~': ~value }[
        expression.operator
      ];
    }
    case 'ArithmeticTernary': {
      const test = of(expression.test);
      return test === undefined
        ? undefined
        : of(test === 0 ? expression.alternate : expression.consequent);
    }
    case 'ArithmeticBinary': {
      const [left, right] = [of(expression.left), of(expression.right)];
      if (left === undefined || right === undefined) return undefined;
      return whole(operators[expression.operator]?.(left, right));
    }
    default:
      return undefined;
  }
}

const whole = (value: number | undefined): number | undefined =>
  Number.isFinite(value) ? Math.trunc(value!) : undefined;

const operators: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '**': (left, right) => left ** right,
  '<<': (left, right) => left << right,
  '>>': (left, right) => left >> right,
  '&': (left, right) => left & right,
  '|': (left, right) => left | right,
  '^': (left, right) => left ^ right,
  '<': (left, right) => Number(left < right),
  '>': (left, right) => Number(left > right),
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
  '&&': (left, right) => Number(left !== 0 && right !== 0),
  '||': (left, right) => Number(left !== 0 || right !== 0),
};
