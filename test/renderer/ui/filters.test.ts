import { expect, test } from 'vitest'
import { z } from 'zod'
import { anId, anyText, choice, chosenIn, cleared, isNarrowed } from '#renderer/ui/filters.ts'
import { type ListDefinition, listAddress, selectRows } from '#renderer/ui/list-search.ts'

type Row = { readonly name: string; readonly isOpen: boolean; readonly size: number }

const list = {
  group: 'Doors',
  noun: 'door',
  idOf: ({ name }) => name,
  filters: {
    filter: { schema: anyText, placeholder: 'Filter', textOf: ({ name }) => name },
    status: {
      ...choice({ open: 'Open', shut: 'Shut' }),
      isIn: ({ isOpen }, wanted) => isOpen === (wanted === 'open'),
    },
    size: {
      ...choice({ small: 'Small', large: 'Large' }),
      menu: { name: 'Size', all: 'Any size' },
      isIn: ({ size }, wanted) => size > 5 === (wanted === 'large'),
    },
    house: { schema: anId },
  },
  orders: { name: { label: 'Name' }, size: { label: 'Size' } },
} as const satisfies ListDefinition<Row>

test('the address of a list has its filters and its order, and drops what they cannot be', () => {
  const address = z.object(listAddress(list))
  const wanted = { filter: '42', status: 'shut', size: 'large', house: 'h', sort: 'size' } as const
  expect(address.parse({ ...wanted, filter: 42, other: 1 })).toEqual(wanted)
  expect(address.parse({ status: 'ajar', size: '', house: 1, sort: 'age' })).toEqual({})
})

test('an empty text sets no filter', () => {
  const { filters } = list
  expect(chosenIn(filters, { filter: 'a', status: 'open', house: '' })).toEqual({
    filter: 'a',
    status: 'open',
  })
  expect(isNarrowed(filters, { filter: '' })).toBe(false)
  expect(isNarrowed(filters, { size: 'small' })).toBe(true)
  expect(Object.keys(cleared(filters))).toEqual(['filter', 'status', 'size', 'house'])
})

test('a list selects by its text and its menus, then by its status', () => {
  const front = { name: 'Front door', isOpen: true, size: 9 }
  const back = { name: 'Back door', isOpen: false, size: 9 }
  const cat = { name: 'Cat flap', isOpen: false, size: 1 }
  const select = (place: object) => selectRows(list, [front, back, cat], { ...place })
  expect(select({})).toEqual({ matching: [front, back, cat], rows: [front, back, cat] })
  expect(select({ size: 'large', status: 'shut' })).toEqual({ matching: [front, back], rows: [back] })
  expect(select({ filter: 'door back', house: 'h' })).toEqual({ matching: [back], rows: [back] })
})
