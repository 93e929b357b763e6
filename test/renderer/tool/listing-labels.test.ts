import { expect, test } from 'vitest'
import {
  aboutTokens,
  foundLabel,
  listingExplanation,
  listingSuggestion,
} from '#renderer/entities/tool/listing-labels.ts'

const many = { totalTools: 1214, totalTokens: 310_004, onDemandTokens: 318 }

test('tokens are rounded, and “about” from 1,000 on', () => {
  expect([42, 318, 999, 1004, 309_686].map(aboutTokens)).toEqual([
    '42 tokens',
    '320 tokens',
    'about 1,000 tokens',
    'about 1,000 tokens',
    'about 309,690 tokens',
  ])
})

test('a choice is explained with its tokens, once these are known', () => {
  expect(listingExplanation('all', many)).toBe(
    'The definitions of all tools, about 310,000 tokens, are added to every conversation.',
  )
  expect(listingExplanation('all', undefined)).toBe(
    'The definitions of all tools are added to every conversation.',
  )
  expect(listingExplanation('on demand', many)).toContain('three tools, 320 tokens, with')
  expect(listingExplanation('on demand', { ...many, onDemandTokens: null })).toContain('three tools, with')
})

test('finding tools when needed is suggested over 100 tools, with what it saves', () => {
  expect(listingSuggestion(many)).toBe(
    '1,214 tools: finding them when needed saves about 309,690 tokens in each conversation.',
  )
  expect(listingSuggestion({ ...many, totalTools: 101, totalTokens: null })).toBe(
    '101 tools: finding them when needed saves most of their tokens in each conversation.',
  )
  expect(listingSuggestion({ ...many, totalTools: 100 })).toBeNull()
})

test('a search of the model says how many tools it found', () => {
  expect(foundLabel('[]')).toBe('nothing found')
  expect(foundLabel('[{"name":"a","score":0.5}]')).toBe('1 tool')
  expect(foundLabel('[{"name":"a","score":0.5},{"name":"b","score":0.4}]')).toBe('2 tools')
})
