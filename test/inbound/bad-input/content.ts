import { expect } from 'vitest'
import { type EventSource, readEvent } from '#main/inbound/event-text.ts'
import { inboundKinds } from '#main/inbound/occurrences.ts'
import { type Case, type Expected, one, type Row } from './case.ts'

const invalidJson = [400, 'invalid_json'] as const
const missingEvent = [400, 'missing_event'] as const
const invalidEvent = [400, 'invalid_event'] as const
const invalidData = [400, 'invalid_data'] as const

/** A body, well signed, and its answer; the message too where it has to name something. */
function body(name: string, content: string | Uint8Array, answer: Expected, message?: RegExp): Case {
  return one(name, { body: content }, answer, {
    check: (_scene, [got]) => {
      if (message !== undefined) expect(JSON.parse(got?.body ?? '').message).toMatch(message)
    },
  })
}

/** A body that is accepted: the payload that it raises, as JSON, and the notes that the feed shows. */
function accepted(name: string, content: string, payload: string, notes: string[] = []): Case {
  return one(name, { body: content }, 200, {
    async check({ fixture, connection: { connectionId } }) {
      const trigger = fixture.triggers.findLast(raised => raised.connectionId === connectionId)
      expect(JSON.stringify(trigger?.payload)).toBe(payload)
      const [event] = await fixture.stored(connectionId)
      expect(event).toMatchObject({ bodyText: content, eventName: trigger?.eventName })
      const accepted = fixture.outcomes.findLast(
        occurrence => occurrence.kind === 'event.accepted' && occurrence.connectionId === connectionId,
      )
      if (accepted?.kind !== 'event.accepted') throw new Error('Nothing was recorded.')
      const notesOf = (event: EventSource) => readEvent(event)?.notes ?? []
      const lookups = { isDeclared: () => false, diagnosisOf: () => null, notesOf }
      const item = inboundKinds['event.accepted'].toItem(accepted, { id: 'id', at: 'at' }, lookups)
      expect(item).toMatchObject({ bodyText: content.slice(0, 64 * 1024), notes })
    },
  })
}

const payloadOf = (fields: string, eventName = 'a') =>
  `{${fields}${fields === '' ? '' : ','}"eventName":${JSON.stringify(eventName)},"connectionId":"conn_first"}`

const nested = (levels: number, open = '[', close = ']', inner = '') =>
  `{"event":"a","data":{"deep":${open.repeat(levels)}${inner}${close.repeat(levels)}}}`

const named = (event: string) => JSON.stringify({ event })

/** An event name with something in it that a reader might take for more than text. */
const hostileName = (name: string, event: string) => accepted(name, named(event), payloadOf('', event))

const utf16 = (text: string) => Buffer.from(text, 'utf16le')

/** Bodies whose signature is good. */
export const contentRows: Row[] = [
  {
    row: 20,
    title: 'a body that is not an event',
    cases: [
      body('empty', '', invalidJson, /empty/),
      body('white space', ' \r\n\t ', invalidJson, /not valid JSON/),
      body('null', 'null', missingEvent),
      body('an array', '[{"event":"a"}]', missingEvent),
      body('an empty array', '[]', missingEvent),
      body('a string', '"event"', missingEvent),
      body('a number', '1', missingEvent),
      body('a number that JavaScript cannot hold', '1e400', missingEvent),
      body('a boolean', 'true', missingEvent),
      body('an empty object', '{}', missingEvent),
      body('event inside data', '{"data":{"event":"a"}}', missingEvent),
      body('Event', '{"Event":"a"}', missingEvent),
      body('event as __proto__', '{"__proto__":{"event":"a"}}', missingEvent),
      body('NaN', '{"event":"a","data":{"x":NaN}}', invalidJson, /not valid JSON/),
      body('Infinity', '{"event":"a","data":{"x":-Infinity}}', invalidJson),
      body('a comment', '{"event":"a" /* now */}', invalidJson),
      body('a line comment', '// a\n{"event":"a"}', invalidJson),
      body('a trailing comma', '{"event":"a",}', invalidJson),
      body('single quotes', "{'event':'a'}", invalidJson),
      body('no quotes', '{event:"a"}', invalidJson),
      body('a number that begins with 0', '{"event":"a","data":{"x":01}}', invalidJson),
      body('a number with a plus', '{"event":"a","data":{"x":+1}}', invalidJson),
      body('a line break in a string', '{"event":"a\nb"}', invalidJson),
      body('two documents', '{"event":"a"}{"event":"b"}', invalidJson),
      body('a NUL behind it', '{"event":"a"}\0', invalidJson),
      body('cut off', '{"event":"a","data":{', invalidJson),
      body('a form', 'event=a&data=b', invalidJson),
      body('XML', '<event>a</event>', invalidJson),
      body('a BOM', '\ufeff{"event":"a"}', invalidJson, /byte order mark/),
      body('a BOM alone', '\ufeff', invalidJson, /byte order mark/),
      body('UTF-16 with a BOM', utf16('\ufeff{"event":"a"}'), invalidJson, /UTF-16/),
      body('UTF-16, big-endian', utf16('\ufeff{"event":"a"}').swap16(), invalidJson, /UTF-16/),
      body('UTF-16 without a BOM', utf16('{"event":"a"}'), invalidJson, /UTF-16/),
      body('UTF-16, big-endian, without a BOM', utf16('{"event":"a"}').swap16(), invalidJson, /UTF-16/),
      body('UTF-16 beyond ASCII', utf16('\ufeff{"event":"\u00e4"}'), invalidJson, /UTF-16/),
      body('Latin-1', Buffer.from('{"event":"\u00e4"}', 'latin1'), invalidJson, /not valid UTF-8/),
      body(
        'bytes that are not UTF-8',
        Buffer.from('{"event":"a\xff"}', 'latin1'),
        invalidJson,
        /not valid UTF-8/,
      ),
      body(
        'an overlong slash',
        Buffer.from('{"event":"a\xc0\xaf"}', 'latin1'),
        invalidJson,
        /not valid UTF-8/,
      ),
      body('UTF-8 cut off', Buffer.from('{"event":"a\xe2\x82"}', 'latin1'), invalidJson, /not valid UTF-8/),
      one(
        'invalid UTF-8 that is signed wrongly is 401 first',
        { body: Buffer.from([0x7b, 0xff]), signedBody: '{\ufffd' },
        [401, 'invalid_signature'],
      ),
      body('data as an array', '{"event":"a","data":[]}', invalidData),
      body('data as a string', '{"event":"a","data":"{}"}', invalidData),
      body('data as a number', '{"event":"a","data":0}', invalidData),
      body('data as a number that JavaScript cannot hold', '{"event":"a","data":1e400}', invalidData),
      body('data as a boolean', '{"event":"a","data":false}', invalidData),
      body('data null passes', '{"event":"a","data":null}', 200),
      body('white space round it passes', '\r\n {"event":"a"}\t\n', 200),
    ],
  },
  {
    row: 21,
    title: 'text that is hard to keep',
    cases: [
      accepted(
        'a lone surrogate, escaped',
        String.raw`{"event":"a","data":{"x":"\ud800"}}`,
        payloadOf(String.raw`"x":"\ud800"`),
      ),
      accepted(
        'surrogates in the wrong order',
        String.raw`{"event":"a","data":{"\udc00\ud800":1}}`,
        payloadOf(String.raw`"\udc00\ud800":1`),
      ),
      body(
        'a lone surrogate as bytes',
        Buffer.from('{"event":"a\xed\xa0\x80"}', 'latin1'),
        invalidJson,
        /not valid UTF-8/,
      ),
      accepted('a lone surrogate in the name', String.raw`{"event":"\ud800"}`, payloadOf('', '\ud800')),
      accepted(
        'NUL in the data',
        String.raw`{"event":"a","data":{"a\u0000b":"\u0000"}}`,
        payloadOf(String.raw`"a\u0000b":"\u0000"`),
      ),
      accepted('NUL in the name', String.raw`{"event":"\u0000a\u0000"}`, payloadOf('', '\0a\0')),
      accepted(
        'characters that are none',
        '{"event":"a","data":{"x":"\uffff\ufffe"}}',
        payloadOf('"x":"\uffff\ufffe"'),
      ),
      accepted(
        'line separators',
        '{"event":"a","data":{"x":"\u2028\u2029"}}',
        payloadOf('"x":"\u2028\u2029"'),
      ),
      accepted('the same key twice', '{"event":"a","data":{"x":1,"x":2}}', payloadOf('"x":2'), [
        'duplicate_keys',
      ]),
      accepted(
        'the same key, once escaped',
        String.raw`{"event":"a","data":{"x":1,"\u0078":2}}`,
        payloadOf('"x":2'),
        ['duplicate_keys'],
      ),
      accepted('event twice', '{"event":"b","data":{},"event":"a"}', payloadOf(''), ['duplicate_keys']),
      accepted('data twice', '{"event":"a","data":{"x":1},"data":{"y":2}}', payloadOf('"y":2'), [
        'duplicate_keys',
      ]),
      accepted('data, then null', '{"event":"a","data":{"x":1},"data":null}', payloadOf(''), [
        'duplicate_keys',
      ]),
      accepted('deep inside', '{"event":"a","data":{"x":[{"y":1,"y":[]}]}}', payloadOf('"x":[{"y":[]}]'), [
        'duplicate_keys',
      ]),
      body('event twice, the last one wrong', '{"event":"a","event":1}', invalidEvent),
      body('data twice, the last one wrong', '{"event":"a","data":{},"data":[]}', invalidData),
      accepted(
        'the same key in two objects is none',
        '{"event":"a","data":{"x":{"x":1},"y":{"x":1}}}',
        payloadOf('"x":{"x":1},"y":{"x":1}'),
      ),
    ],
  },
  {
    row: 22,
    title: 'names of what objects inherit',
    cases: [
      accepted(
        '__proto__',
        '{"event":"a","data":{"__proto__":{"polluted":1}}}',
        payloadOf('"__proto__":{"polluted":1}'),
      ),
      accepted(
        '__proto__ as a string',
        '{"event":"a","data":{"__proto__":"x"}}',
        payloadOf('"__proto__":"x"'),
      ),
      accepted(
        '__proto__ with a large number',
        '{"event":"a","data":{"__proto__":{"n":9007199254740993}}}',
        payloadOf('"__proto__":{"n":9007199254740993}'),
      ),
      accepted(
        '__proto__ deep inside',
        '{"event":"a","data":{"x":{"__proto__":{"y":1}}}}',
        payloadOf('"x":{"__proto__":{"y":1}}'),
      ),
      accepted(
        'constructor',
        '{"event":"a","data":{"constructor":{"prototype":{"polluted":1}}}}',
        payloadOf('"constructor":{"prototype":{"polluted":1}}'),
      ),
      accepted(
        'toString, valueOf, toJSON',
        '{"event":"a","data":{"toString":1,"valueOf":2,"toJSON":3}}',
        payloadOf('"toString":1,"valueOf":2,"toJSON":3'),
      ),
      accepted(
        'hasOwnProperty, then',
        '{"event":"a","data":{"hasOwnProperty":1,"then":"x"}}',
        payloadOf('"hasOwnProperty":1,"then":"x"'),
      ),
      accepted(
        'rawJSON',
        '{"event":"a","data":{"x":{"rawJSON":"1e400"}}}',
        payloadOf('"x":{"rawJSON":"1e400"}'),
      ),
      accepted(
        '__proto__ beside event and data',
        '{"event":"a","__proto__":{"data":{"x":1}}}',
        payloadOf(''),
        ['extra_fields'],
      ),
      accepted('as the name of an event', '{"event":"__proto__"}', payloadOf('', '__proto__')),
      one('nothing was changed for everybody', {}, 200, {
        check: () => expect(Reflect.get({}, 'polluted')).toBeUndefined(),
      }),
    ],
  },
  {
    row: 23,
    title: 'deep nesting',
    cases: [
      body('100,000 arrays', nested(100_000), invalidJson, /deeper than 1000 levels/),
      body('100,000 objects', nested(100_000, '{"a":', '}', '1'), invalidJson, /deeper than 1000 levels/),
      body('100,000 brackets never closed', `{"event":"a","data":${'['.repeat(100_000)}`, invalidJson),
      body('500,000 brackets and nothing else', '['.repeat(500_000), invalidJson),
      body('999 arrays in two objects', nested(999), invalidJson, /deeper than 1000 levels/),
      accepted(
        '998 arrays in two objects pass',
        nested(998),
        payloadOf(`"deep":${'['.repeat(998)}${']'.repeat(998)}`),
      ),
      accepted(
        '998 objects with a large number',
        nested(998, '{"a":', '}', '1e400'),
        payloadOf(`"deep":${'{"a":'.repeat(998)}1e400${'}'.repeat(998)}`),
      ),
      accepted(
        'brackets in a string are text',
        `{"event":"a","data":{"x":"${String.raw`\"[{\\`.repeat(2000)}"}}`,
        payloadOf(`"x":"${String.raw`\"[{\\`.repeat(2000)}"`),
      ),
      accepted(
        '5,000 arrays side by side',
        nested(1, '[', ']', Array(5000).fill('[]').join()),
        payloadOf(`"deep":[${Array(5000).fill('[]').join()}]`),
      ),
    ],
  },
  {
    row: 24,
    title: 'numbers that JavaScript cannot hold',
    cases: [
      accepted('2^53+1', '{"event":"a","data":{"n":9007199254740993}}', payloadOf('"n":9007199254740993')),
      accepted('1e400', '{"event":"a","data":{"n":1e400}}', payloadOf('"n":1e400')),
      accepted('-1E+400', '{"event":"a","data":{"n":[-1E+400]}}', payloadOf('"n":[-1E+400]')),
      accepted('-0', '{"event":"a","data":{"n":-0}}', payloadOf('"n":-0')),
      accepted('-0.0e0', '{"event":"a","data":{"n":[-0.0e0, -0.00]}}', payloadOf('"n":[-0.0e0,-0.00]')),
      accepted('1e-400', '{"event":"a","data":{"n":1e-400}}', payloadOf('"n":1e-400')),
      accepted(
        'many decimals',
        '{"event":"a","data":{"n":0.1000000000000000000001}}',
        payloadOf('"n":0.1000000000000000000001'),
      ),
      accepted(
        '40 digits',
        `{"event":"a","data":{"n":{"m":[1,${'7'.repeat(40)}]}}}`,
        payloadOf(`"n":{"m":[1,${'7'.repeat(40)}]}`),
      ),
      accepted(
        'as texts they stay texts',
        '{"event":"a","data":{"n":":9007199254740993,","m":9007199254740993}}',
        payloadOf('"n":":9007199254740993,","m":9007199254740993'),
      ),
      accepted(
        'twice under one key',
        '{"event":"a","data":{"n":9007199254740993,"n":1}}',
        payloadOf('"n":1'),
        ['duplicate_keys'],
      ),
      accepted(
        'twice under one key, the large one last',
        '{"event":"a","data":{"n":{"m":1},"n":9007199254740993}}',
        payloadOf('"n":9007199254740993'),
        ['duplicate_keys'],
      ),
    ],
  },
  {
    row: 25,
    title: 'an event name that is none',
    cases: [
      body('empty', named(''), invalidEvent),
      body('a number', '{"event":1}', invalidEvent),
      body('a number that JavaScript cannot hold', '{"event":9007199254740993}', invalidEvent),
      body('null', '{"event":null}', invalidEvent),
      body('a boolean', '{"event":true}', invalidEvent),
      body('an array', '{"event":["a"]}', invalidEvent),
      body('an object', '{"event":{"name":"a"}}', invalidEvent),
      body('256 characters', named('x'.repeat(256)), invalidEvent),
      body('256 characters of two units', named('\ud83d\ude00'.repeat(256)), invalidEvent),
      body('a megabyte', named('x'.repeat(1024 * 1024 - 12)), invalidEvent),
      hostileName('255 characters pass', 'x'.repeat(255)),
      hostileName('255 characters of two units pass', '\ud83d\ude00'.repeat(255)),
      hostileName('HTML', '<img src=x onerror=alert(1)>'),
      hostileName('new lines', 'a\r\nx-service-signature: b\n'),
      hostileName('a right-to-left override', 'invoice\u202Efdp.exe'),
      hostileName('a formula', '=cmd|/c calc!A0'),
      hostileName('escape sequences', '\u001b[2J\u001b]0;x\u0007'),
      hostileName('a space', ' '),
      hostileName('SQL', "a'; DROP TABLE events; --"),
      hostileName('a template', '{{secret}} <%= secret %>'),
    ],
  },
  {
    row: 26,
    title: 'data that holds the names of the service',
    cases: [
      accepted('eventName', '{"event":"a","data":{"eventName":"b"}}', payloadOf(''), ['reserved_keys']),
      accepted(
        'connectionId',
        '{"event":"a","data":{"connectionId":"conn_second"}}',
        '{"connectionId":"conn_first","eventName":"a"}',
        ['reserved_keys'],
      ),
      accepted(
        'both and more',
        '{"event":"a","data":{"connectionId":null,"x":1,"eventName":[]}}',
        '{"connectionId":"conn_first","x":1,"eventName":"a"}',
        ['reserved_keys'],
      ),
      accepted('escaped', String.raw`{"event":"a","data":{"event\u004eame":"b"}}`, payloadOf(''), [
        'reserved_keys',
      ]),
      accepted(
        'deeper it does not matter',
        '{"event":"a","data":{"x":{"eventName":"b"}}}',
        payloadOf('"x":{"eventName":"b"}'),
      ),
      accepted(
        'beside data it is only an extra field',
        '{"event":"a","eventName":"b","connectionId":"c"}',
        payloadOf(''),
        ['extra_fields'],
      ),
      accepted(
        'in data that a later one replaces',
        '{"event":"a","data":{"eventName":"b"},"data":{}}',
        payloadOf(''),
        ['duplicate_keys'],
      ),
      accepted(
        'event and data as fields of data',
        '{"event":"a","data":{"event":1,"data":{"x":1}}}',
        payloadOf('"event":1,"data":{"x":1}'),
      ),
    ],
  },
]
