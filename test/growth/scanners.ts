import { showable } from '#main/assistant/conversation/growing-text.ts'
import { splitReasoning } from '#main/assistant/conversation/split-reasoning.ts'
import { writesCall } from '#main/assistant/conversation/written-call.ts'
import { redact } from '#main/cli/logger.ts'
import { slugOf } from '#main/connections/identifiers.ts'
import { readJsonBody } from '#main/http/json-body.ts'
import { inspectJson } from '#main/importing/parse.ts'
import { hideSecrets } from '#main/importing/problem.ts'
import { recognizeFormat } from '#main/importing/recognize.ts'
import { parseBody } from '#main/inbound/body.ts'
import { readEventText } from '#main/inbound/event-text.ts'
import { headerLines, parseHeaderLines } from '#main/inbound/signed-headers.ts'
import { createPositions } from '#main/json/text-position.ts'
import { argumentIssues } from '#main/outbound/arguments.ts'
import { assistantText } from '#main/outbound/assistant-text.ts'
import { textMasker } from '#main/outbound/mask-text.ts'
import { maskTree } from '#main/outbound/masking.ts'
import { readResponse } from '#main/outbound/read-response.ts'
import { guessBodies } from '#main/signing/guess-bodies.ts'
import { guessRewritten } from '#main/signing/guess-rewritten.ts'
import { evaluateTimestamp, readSignature } from '#main/signing/read-headers.ts'
import { mayBeSigned } from '#main/signing/recognize.ts'
import { coveringTrigrams, longGrams, longGramText, matchAll } from '#main/storage/local/sqlite/grams.ts'
import { searchable } from '#main/storage/normalize-for-search.ts'
import { exportFileName } from '#renderer/entities/connection/copy-name.ts'
import { triggerText } from '#renderer/entities/event/event-text.ts'
import { curlForCall } from '#renderer/entities/snippet/call-as-curl.ts'
import { eventBody } from '#renderer/entities/snippet/event-body.ts'
import { languageSnippets } from '#renderer/entities/snippet/languages.ts'
import { languages } from '#renderer/entities/snippet/snippet.ts'
import { suggestAlias } from '#renderer/features/actions/suggest-alias.ts'
import { mappedFields } from '#renderer/features/actions/test/mapped-fields.ts'
import { addUrls, readPasted } from '#renderer/features/agent/crawler/tried-urls.ts'
import { parseMarkdown } from '#renderer/features/conversation/parse-markdown.ts'
import { headline } from '#renderer/features/imports/issues.ts'
import { lengthAt, messageParts } from '#renderer/ui/editor/problems.ts'
import { compactJson, formatJson } from '#renderer/ui/format-json.ts'
import { highlight } from '#renderer/ui/highlight.ts'
import { jsonLines } from '#renderer/ui/json-lines.ts'
import {
  indexOfSteps,
  matchingNodes,
  nodeAt,
  readJsonNodes,
  visibleNodes,
  withContainers,
} from '#renderer/ui/json-nodes.ts'
import { diagnoseJson } from '#shared/json/diagnose-json.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { isExact } from '#shared/json/exact-number.ts'
import { valueAt } from '#shared/json/value-at.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import { joinUrl, withQuery } from '#shared/model/action-url.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import { HttpUrl } from '#shared/model/platform/parts.ts'
import { SmsKeywords } from '#shared/model/platform/sms-keywords.ts'
import { parseDotPath } from '#shared/model/response-mapping.ts'
import { defaultSender, templatesOf } from '#shared/model/sender/sender.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { deriveToolName } from '#shared/model/tool-name.ts'
import { BaseUrl } from '#shared/model/urls.ts'
import { matches, normalPattern, parseHttp } from '#shared/platform/crawler-patterns.ts'
import { matchKeywords } from '#shared/platform/keywords.ts'
import { fillVariables } from '#shared/platform/text-variables.ts'
import { evaluate } from '#shared/workflows/conditions.ts'
import { jsonIn } from '#shared/workflows/http-body.ts'
import { createRenderer } from '#shared/workflows/renderer.ts'
import { wrongVariablesIn } from '#shared/workflows/templates.ts'

/** Makes a text of about `size` characters. */
export type Worst = (size: number) => string

const repeated =
  (unit: string, before = '', after = ''): Worst =>
  size =>
    before + unit.repeat(Math.ceil(size / unit.length)) + after
const nested =
  (open: string, inner: string, close: string, depth: number): Worst =>
  size =>
    open.repeat(depth) + inner.repeat(Math.ceil(size / inner.length)) + close.repeat(depth)

/** The number that froze the service: zeros that are neither leading nor trailing. */
const longNumber = repeated('0', '1.', '1')
const inData =
  (value: Worst): Worst =>
  size =>
    `{"event":"a","data":{"a":${value(size)}}}`
const inArray = (unit: string) => repeated(`${unit},`, '[', `${unit}]`)
const deepest: Worst = size => '['.repeat(size / 2) + ']'.repeat(size / 2)
const manyKeys: Worst = size =>
  `{${Array.from({ length: size / 60 }, (_, index) => `"${'k'.repeat(50)}${index}":1`).join(',')}}`
const json: readonly Worst[] = [
  inData(longNumber),
  inArray('1e5'),
  inData(inArray('"\\u00e9\\""')),
  nested('{"a":[', '0,', '0]}', 400),
  inData(manyKeys),
  repeated('"\\'),
]
const words: readonly Worst[] = [
  repeated('A'),
  repeated('_'),
  repeated(' ', 'x', 'x'),
  repeated('aA'),
  repeated('é'),
  repeated('😀'),
]
const escapes: readonly Worst[] = [
  repeated('\\'),
  repeated('\\"'),
  repeated('"\\'),
  repeated('\\u00'),
  repeated('%25'),
]
const openings: readonly Worst[] = ['{{', '{{A', '${', '#{', '{$', '<', "'", '`'].map(unit => repeated(unit))

const nodes = (text: string) => {
  const found = readJsonNodes(text)
  if (found === null) return
  indexOfSteps(found, ['data', 'a', 5])
  visibleNodes(found, index => index > 300)
  nodeAt(found, found.kinds.length - 1)
  withContainers(found, matchingNodes(found, 'a'))
  mappedFields({ status: 200, headers: {}, nodes: found }, [{ alias: 'a', path: 'data.a' }])
}
const form = { fields: [], submitUrl: 'https://a.example' }
/** As many keywords as there can be, which share most of their words. */
const keywordActions = Array.from({ length: 500 }, (_, index) => ({
  trigger: `keyword:${'a '.repeat(index % 90)}b${index}`,
  action: 'open',
  form,
}))
const mask = textMasker([
  'sk_live_"\\/ é+%25%25',
  '\\\\\\\\aaaaaaaa',
  'aaaaaaaaaaaaaaab',
  '"\\"\\"\\"\\',
  `${'x'.repeat(300)}y`,
])
const parameters = [{ name: 'a', type: 'string', description: 'a', required: true }] as const
const timings = { totalMs: 1, dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, downloadMs: 0 }
const contains = (value: unknown, operand: unknown) =>
  evaluate(
    { value: '{{value}}', operator: 'contains', operand: '{{operand}}' },
    createRenderer({ payload: { value, operand }, steps: new Map() }),
  )
const noScope = { payload: {}, steps: new Map() }
const refusing = (work: () => unknown) => {
  try {
    work()
  } catch {
    // Refusing a text is as good as reading it, if it is as quick.
  }
}

/** A scan, and the texts that hurt it most. */
export type Scanner = {
  readonly scan: (text: string) => unknown
  readonly worst: readonly Worst[]
  /** The largest text that it looks at, where that is less than 1 MiB. */
  readonly most?: number
}

const byDefault = { template: templatesOf(defaultSender)[0], isDefault: true }
const ofStripe = { template: schemes.stripe.templates[0], isDefault: false }

/** Everything of the service and the dashboard that reads a text from outside, with the texts that hurt it most. */
export const scanners: Readonly<Record<string, Scanner>> = {
  isExact: {
    scan: text => isExact(text, 1),
    worst: [longNumber, repeated('0'), repeated('1'), repeated('0', '1e')],
  },
  parseExact: {
    scan: text => refusing(() => parseExact(text)),
    worst: [...json, longNumber, repeated(', ')],
  },
  parseBody: { scan: text => parseBody(Buffer.from(text)), worst: json },
  readJsonBody: {
    scan: text => refusing(() => readJsonBody(Buffer.from(text), 'application/json')),
    worst: json,
  },
  readEventText: { scan: readEventText, worst: json },
  readResponse: {
    scan: text => readResponse({ status: 200, headers: {} }, Buffer.from(text), { a: 'data.a[0].b' }),
    worst: [...json, longNumber, repeated(' ')],
  },
  diagnoseJson: {
    scan: diagnoseJson,
    worst: [...json, ...openings, repeated('“,'), repeated('[0,'), repeated("',"), repeated('\u2028')],
  },
  inspectJson: { scan: inspectJson, worst: json },
  createPositions: {
    scan: text => createPositions(text)(text.length),
    worst: [repeated('\r\n'), repeated('\r')],
  },
  hideSecrets: { scan: hideSecrets, worst: [repeated('whsec_'), repeated('whsec')] },
  headerLines: {
    scan: text => parseHeaderLines(headerLines(text.split(','))),
    worst: [repeated('a,'), repeated(': ,')],
  },
  guessBodies: {
    scan: text => guessBodies(Buffer.from(text)),
    worst: [...escapes, repeated('\r\n'), repeated('\r')],
  },
  guessRewritten: {
    scan(text) {
      const { dataOnly, whole } = guessRewritten(Buffer.from(text))
      return [...dataOnly, ...whole]
    },
    worst: json,
    most: 128 * 1024,
  },
  mayBeSigned: {
    scan: lines => mayBeSigned(lines, Buffer.from(lines)),
    worst: [repeated('-sig'), repeated('a-sign: \n'), repeated('signature')],
  },
  evaluateTimestamp: {
    scan: text => evaluateTimestamp(text, byDefault, 1),
    worst: [repeated('1'), repeated('1', '1.'), repeated(' ')],
  },
  readSignature: {
    scan: text => [readSignature(text, byDefault), readSignature(text, ofStripe)],
    worst: [repeated('a'), repeated('-'), repeated('A', 'sha256='), repeated('v1='), repeated(',')],
  },
  redact: {
    scan: text => redact({ message: text }),
    worst: [repeated('Bearer '), repeated('whsec_'), repeated(' ')],
  },
  splitReasoning: {
    scan: text => [splitReasoning(text, false), splitReasoning(text, true)],
    worst: [
      ...['<think>', '</think> ', '<think></think>', '```\n', '\n<|channel|>', '[', '\n <'].map(unit =>
        repeated(unit),
      ),
      repeated(' ', '</think>', 'x'),
      repeated('\n', '</think>', '<think>'),
    ],
  },
  writesCall: {
    scan: text => writesCall(text, ['shop_a1b2__look_up']),
    worst: [
      ...[
        '```\n',
        '`',
        '<tool_call>',
        '<tool_call> ',
        '[TOOL_CALLS] ',
        'functools[',
        '[shop_a1b2__look_up(',
      ].map(unit => repeated(unit)),
      repeated('[', '{"name":"x","arguments":', ''),
      repeated(' ', '<tool_call>', 'x'),
    ],
  },
  showable: {
    scan: text => showable(text, mask, []),
    worst: [repeated('whsec_', '', ' '), repeated(' '), repeated('a')],
  },
  searchable: { scan: searchable, worst: [...escapes, repeated('ς')] },
  longGrams: {
    scan: text => [matchAll([...longGrams(text)], 'a'), longGramText(text)],
    worst: [repeated('a'), repeated('1'), repeated('aaaaa1')],
  },
  coveringTrigrams: {
    scan: text => matchAll(coveringTrigrams(text), 'a'),
    worst: [repeated('é'), repeated('\0')],
  },
  textMasker: {
    scan: text => mask?.(text),
    worst: [
      ...escapes,
      repeated('a'),
      repeated('x'),
      repeated('sk_live_'),
      repeated('QUFB'),
      repeated('%C3'),
      repeated('%'),
      repeated('25'),
      repeated('\\\\"'),
      repeated('Ã\u0083'),
    ],
  },
  maskTree: {
    scan: text => maskTree(text.split(','), part => mask?.(part) ?? part),
    worst: [repeated('a,'), repeated('aaaaaaaaaaaaaaab,')],
  },
  argumentIssues: {
    scan: text => argumentIssues(parameters, { a: text, [text]: 1 }),
    worst: [repeated('"')],
  },
  assistantText: {
    scan: text =>
      assistantText({
        ok: true,
        request: null,
        response: null,
        result: text,
        mapped: null,
        timings,
        error: null,
      }),
    worst: [repeated('é'), repeated('\ud800'), repeated('"')],
  },
  valueAt: {
    scan(text) {
      const steps = parseDotPath(text)
      return steps && valueAt({ a: 1 }, steps)
    },
    worst: [repeated('a.'), repeated('[0]'), repeated('['), repeated('[1'), repeated('.')],
  },
  'evaluate contains, a text': {
    scan: text => contains(text, text.slice(text.length / 4, text.length / 2).replace(/^(.{1000})./, '$1!')),
    worst: [repeated('a'), repeated('ab')],
    most: 768 * 1024,
  },
  'evaluate contains, a list': {
    scan(text) {
      const objects = Array.from({ length: text.length / 64 }, () => ({}))
      return contains(objects, Object.fromEntries(objects.map((_, index) => [`${text[0]}${index}`, 1])))
    },
    worst: [repeated('a')],
    most: 512 * 1024,
  },
  variablesIn: { scan: variablesIn, worst: openings },
  wrongVariablesIn: {
    scan: text => refusing(() => createRenderer(noScope).value(text)) ?? wrongVariablesIn(text),
    worst: [
      ...openings,
      ...['{{["', "{{['", '{{[', '{{a[0]', '{{ ', '{{a.', '{{["\\', '{{["\'', '["a"]'].map(unit =>
        repeated(unit),
      ),
      repeated('a', '{{'),
      repeated(' ', '{{'),
      repeated('.a', '{{a'),
      repeated('[0]', '{{a'),
      repeated('\\"', '{{["'),
    ],
  },
  jsonIn: {
    scan: jsonIn,
    worst: [...json, repeated('{{a}}', '{"'), repeated('{{a}},', '['), repeated('\\"', '["')],
  },
  variablesOf: { scan: text => refusing(() => variablesOf(JSON.parse(text))), worst: json },
  joinUrl: {
    scan: text => refusing(() => joinUrl(`https://host/${text}`, text)),
    worst: [repeated('/', '', 'x'), repeated('?'), repeated('a/'), repeated('é', '?')],
  },
  withQuery: {
    scan: text => withQuery(text, parameters, { a: text }),
    worst: [repeated('&'), repeated('\ud800')],
  },
  BaseUrl: {
    scan: text => BaseUrl.safeParse(`https://host${text}`),
    worst: [repeated('/', '', 'x'), repeated('/'), repeated('@'), repeated(' ')],
  },
  recognizeFormat: {
    scan: recognizeFormat,
    worst: [repeated(' '), repeated('\n'), repeated('"'), repeated('a: '), repeated('\n#'), ...json],
  },
  slugOf: { scan: slugOf, worst: words },
  deriveToolName: { scan: text => deriveToolName(text, () => '0'.repeat(64)), worst: words },
  suggestAlias: {
    scan: text => suggestAlias(text, new Set()),
    worst: [...words, repeated('[0]'), repeated('[1'), repeated('.')],
  },
  exportFileName: { scan: exportFileName, worst: words },
  eventBody: {
    scan: text => eventBody(text, text),
    worst: [...escapes, repeated(' '), repeated('\t', '"', '"')],
  },
  curlForCall: {
    scan: text => curlForCall({ method: 'POST', url: text, headers: { a: text }, body: text }),
    worst: [...openings.slice(0, 3), repeated('!')],
  },
  ...Object.fromEntries(
    languages.map(language => {
      const { render, highlight: grammar } = languageSnippets[language].send
      const scan = (data: string) => highlight(render({ url: 'http://a', eventName: 'a', data }), grammar)
      return [
        `highlight ${language}`,
        { scan, worst: [repeated('#{', '"\n', '"'), ...openings.slice(2), repeated('\\')] },
      ]
    }),
  ),
  compactJson: { scan: compactJson, worst: [...json, ...escapes, repeated(' ')] },
  formatJson: { scan: formatJson, worst: [...json, deepest] },
  jsonLines: { scan: jsonLines, worst: [...json, repeated('\n'), repeated('/*')] },
  readJsonNodes: { scan: nodes, worst: [...json, deepest] },
  triggerText: { scan: text => triggerText(text, 'a', 'b'), worst: json },
  parseMarkdown: {
    scan: parseMarkdown,
    worst: [
      ...openings.slice(5),
      ...[
        '**',
        '_a',
        '*a_',
        '[',
        '](',
        '](a "',
        '[a](b',
        '> ',
        '- ',
        '- a\n',
        '1. ',
        '|\n-\n',
        '# ',
        'http://a',
      ].map(unit => repeated(unit)),
      repeated(' ', '- ', 'x'),
      repeated('-', '|\n', 'x'),
      repeated('```\n'),
      repeated('\n'),
      nested('> ', 'a', '', 1000),
    ],
  },
  matchKeywords: {
    scan: text => matchKeywords(text, { sms: SmsKeywords.parse({}), actions: keywordActions }),
    worst: [repeated('a '), repeated('a a a b '), repeated('ß'), repeated('_ '), repeated('stop ')],
  },
  fillVariables: {
    scan: text => fillVariables(text, { a: 'x' }),
    worst: ['{a}', '{', '{{a', '{a', '}{'].map(unit => repeated(unit)),
  },
  'matches, a crawler pattern': {
    scan: text => {
      for (const pattern of ['/*a*a*a*b', '*aaaaaaaab*', `/${'a*'.repeat(500)}`]) matches(pattern, text)
    },
    worst: [repeated('a', '/'), repeated('aaaaaaaa/', '/'), repeated('ab', '/')],
  },
  'the normal form of a path': {
    scan: text => {
      parseHttp(`https://a.example/${text}`)
      normalPattern(text)
    },
    worst: ['%', '%c3', '%C3%A4', '%f0%9f', '%25', '/..', '/%2e', '*', '*/', 'ä', ' '].map(unit =>
      repeated(unit, '/'),
    ),
  },
  'readPasted, URLs or a sitemap': {
    scan: text => addUrls([], readPasted(text).urls),
    worst: [
      ...['\n', '\r\n', 'a\n', ' ', '<loc>', '<!--', '<loc><![CDATA['].map(unit => repeated(unit)),
      ...['<', '<!--', '<loc>', '<loc>&amp;</loc>', '<loc>&', '<loc><![CDATA[', '&amp'].map(unit =>
        repeated(unit, '<'),
      ),
    ],
  },
  HttpUrl: {
    scan: text => HttpUrl.safeParse(text).success,
    worst: [repeated('a', 'https://'), repeated('/', 'https:'), repeated('@a', 'https://a')],
  },
  headline: { scan: headline, worst: [repeated('a'), repeated('.'), repeated(' ')] },
  messageParts: { scan: messageParts, worst: [repeated('`'), repeated('.')] },
  lengthAt: { scan: text => lengthAt(text, 0), worst: [repeated('"\\'), repeated('\\', '"'), repeated('a')] },
}
