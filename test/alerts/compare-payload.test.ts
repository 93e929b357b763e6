import { describe, expect, test } from 'vitest'
import { comparePayload } from '#main/alerts/compare-payload.ts'
import { mergeMeasured, notMeasured, withCompared, withOffset } from '#main/storage/measured.ts'

const changes = (sample: unknown, payload: unknown) =>
  comparePayload(sample, payload, true).map(({ path, change }) => `${change} ${path}`)

describe('a compared payload', () => {
  test('differs in missing, added and retyped fields, also inside others', () => {
    expect(changes({ a: 1, b: { c: 'x' } }, { a: 2.5, b: { c: '' } })).toEqual([])
    expect(changes({ a: 1, b: { c: 'x' } }, { b: { c: 1, d: 1 }, e: null })).toEqual([
      ...['missing a', 'type b.c', 'added b.d', 'added e'],
    ])
    expect(changes({ a: null, b: 1 }, { a: 'x', b: null })).toEqual(['type b'])
    expect(changes({ list: [{ a: 1 }], none: [] }, { list: [{ a: '1' }, 5], none: [1] })).toEqual([
      'type list.0.a',
    ])
    expect(changes({ 'odd key': 1, ['__proto__']: 1 }, {})).toEqual([
      ...['missing ["odd key"]', 'missing __proto__'],
    ])
  })

  test('has at most 20 fields, with short paths and values', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`${index}${'k'.repeat(500)}`, 'v'.repeat(500)]),
    )
    for (const fields of [comparePayload({}, many, true), comparePayload(many, {}, true)]) {
      expect(fields).toHaveLength(20)
      for (const { path, sample, now } of fields)
        expect([path, (sample ?? now)?.text].map(text => text?.length)).toEqual([120, 64])
    }
  })

  test('has types alone where nothing is stored', () => {
    expect(comparePayload({ a: 1 }, { a: [2] }, false)).toMatchObject([
      { sample: { type: 'number', text: null }, now: { type: 'list', text: null } },
    ])
  })
})

describe('measurements', () => {
  const fields = comparePayload({ a: 1 }, {}, true)
  test('keep the newest, and start again with another sample', () => {
    let measured = notMeasured
    for (let event = 0; event < 100; event++) {
      measured = withOffset(measured, event)
      measured = withCompared(measured, {
        eventName: `name ${event % 30}`,
        sample: 'a',
        fields: [],
        at: event,
      })
    }
    expect([measured.offsetsMs.length, measured.offsetsMs[0], measured.payloads.length]).toEqual([50, 50, 20])
    for (let at = 100; at < 130; at++)
      measured = withCompared(measured, { eventName: 'b', sample: 'a', fields: at < 125 ? fields : [], at })
    expect(measured.payloads.at(-1)).toMatchObject({
      differs: `${'1'.repeat(15)}00000`,
      fields: [{ path: 'a' }],
    })
    measured = withCompared(measured, { eventName: 'b', sample: 'other', fields: [], at: 131 })
    expect(measured.payloads.at(-1)).toMatchObject({ differs: '0', fields: [] })
  })

  test('of two nodes are those of both, and of the newer sample', () => {
    const of = (sample: string, at: number) =>
      withCompared(withOffset(notMeasured, at), {
        eventName: 'b',
        sample,
        fields: at === 1 ? fields : [],
        at,
      })
    expect(mergeMeasured(of('a', 1), of('a', 2))).toMatchObject({
      offsetsMs: [1, 2],
      payloads: [{ differs: '10', lastAt: 2, fields: [{ path: 'a' }] }],
    })
    expect(mergeMeasured(of('a', 2), of('b', 1)).payloads).toMatchObject([{ sample: 'a', differs: '0' }])
  })
})
