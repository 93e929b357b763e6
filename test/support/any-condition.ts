import fc from 'fast-check'
import { parseExact } from '#shared/json/exact-json.ts'
import { Condition, Operator, takesOperand } from '#shared/model/condition.ts'

const texts = [
  ...['', 'opened', 'open', '5', '5.0', '0.5e1', 'true', 'null'],
  ...['2026-11-26T11:00:00+01:00', '2026-11-26T10:00:00Z'],
]
const values = [
  ...['null', 'true', '5', '5.0', '1.10', '9007199254740993', '{}', '{"b":5}', '[]'],
  '["opened",5,{"b":5}]',
]
/** A value of an event, of few, so that comparisons often hold. */
export const anyValue = fc.constantFrom(...texts.map(text => JSON.stringify(text)), ...values).map(parseExact)

const templates = [
  '{{a}}',
  '{{c}}',
  '{{a.b}}',
  '{{a.0}}',
  '{{none}}',
  '{{event.a}}',
  '{{headers.x-kind}}',
  'is {{a}}',
  '{{a}}{{c}}',
]
const anyTemplate = fc.constantFrom(...templates, ...texts)
const anyOperand = fc.oneof(anyTemplate, anyValue)

/** A condition on the fields `a` and `c`, and the header `x-kind`. */
export const anyCondition: fc.Arbitrary<Condition> = fc.letrec<{ part: Condition; list: Condition[] }>(
  tie => ({
    part: fc.oneof(
      { maxDepth: 2 },
      fc
        .record({
          value: anyTemplate,
          operator: fc.constantFrom('equals', ...Operator.options),
          operand: anyOperand,
        })
        .map(({ operand, ...rest }) =>
          Condition.parse(takesOperand(rest.operator) ? { ...rest, operand } : rest),
        ),
      tie('list').map(all => ({ all })),
      tie('list').map(any => ({ any })),
    ),
    list: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
  }),
).part
