import { expect, test } from 'vitest'
import { linksOf } from '#shared/workflows/links.ts'

test.each<[string | string[] | undefined, object]>([
  [undefined, {}],
  ['', {}],
  [
    '<https://a.example/?page=2>; rel="next", <https://a.example/?page=9,10>; title="of; 3"; rel=last',
    { next: 'https://a.example/?page=2', last: 'https://a.example/?page=9,10' },
  ],
  [
    ['<https://a.example/1>;REL="Next archives"', '<https://a.example/2>; rel="next"'],
    { next: 'https://a.example/1', archives: 'https://a.example/1' },
  ],
  ['</page/2>; rel="next", <https://a.example/3>, https://a.example/4; rel="prev"', {}],
  ['<https://a.example/>; rel="__proto__"', JSON.parse('{"__proto__":"https://a.example/"}')],
])('the links of %j', (header, links) => {
  expect(linksOf(header)).toEqual(links)
})
