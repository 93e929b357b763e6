import { memo, type ReactNode, useMemo } from 'react'
import { CodeBlock, JsonBlock } from '../../ui/code-block.tsx'
import classes from './markdown.module.css'
import type { Inline } from './parse-inline.ts'
import { type Block, parseMarkdown } from './parse-markdown.ts'

/** Markdown of a model as React elements: no HTML, no images, and only links to http and https. */
export const Markdown = memo(function Markdown(props: {
  readonly text: string
  /** Shown behind the last word, such as the caret of a text that streams in. */
  readonly end?: ReactNode
}) {
  const { text, end } = props
  const blocks = useMemo(() => parseMarkdown(text), [text])
  return (
    <div className={classes.text} data-streams={end !== undefined || undefined}>
      <Blocks blocks={blocks} end={end} />
      {blocks.length === 0 && end}
    </div>
  )
})

function Blocks({ blocks, end }: { readonly blocks: readonly Block[]; readonly end?: ReactNode }) {
  return blocks.map((block, index) => (
    // A text only grows, so its blocks keep their places.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <MarkdownBlock key={index} block={block} end={index === blocks.length - 1 ? end : undefined} />
  ))
}

/** Rendered again only when its own text changes: an answer may be long, and grows many times a second. */
const MarkdownBlock = memo(
  function MarkdownBlock({ block, end }: { readonly block: Block; readonly end: ReactNode }) {
    switch (block.kind) {
      case 'paragraph':
        return (
          <p>
            <Pieces text={block.text} />
            {end}
          </p>
        )
      case 'heading':
        // The levels of an answer are not those of the page, so a heading is only bold.
        return (
          <p className="w6">
            <Pieces text={block.text} />
            {end}
          </p>
        )
      case 'code':
        return (
          <>
            <Code language={block.language} code={block.code} />
            {end}
          </>
        )
      case 'quote':
        return (
          <blockquote>
            <Blocks blocks={block.blocks} end={end} />
          </blockquote>
        )
      case 'list': {
        const List = block.start === null ? 'ul' : 'ol'
        return (
          <List start={block.start ?? undefined}>
            {block.items.map((item, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: items are only added at the end
              <li key={index}>
                <Blocks blocks={item} end={index === block.items.length - 1 ? end : undefined} />
              </li>
            ))}
          </List>
        )
      }
      case 'table':
        return (
          <>
            <Table rows={block.rows} />
            {end}
          </>
        )
      case 'rule':
        return <hr />
    }
  },
  (before, now) => before.block.source === now.block.source && before.end === now.end,
)

function Code({ language, code }: { readonly language: string; readonly code: string }) {
  const label = language === '' ? 'Code' : `Code in ${language}`
  if (/^json/i.test(language)) return <JsonBlock text={code} label={label} copyText={code} wrap />
  const lines = code.split('\n').map(text => [{ text, kind: 'key' as const }])
  return <CodeBlock lines={lines} label={label} copyText={code} wrap />
}

function Table({ rows }: { readonly rows: readonly (readonly (readonly Inline[])[])[] }) {
  const [head = [], ...body] = rows
  const keyed = <T,>(list: readonly T[]) => list.map((value, key) => ({ key, value }))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <div className={classes.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {keyed(head).map(({ key, value }) => (
              <th key={key}>
                <Pieces text={value} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keyed(body).map(row => (
            <tr key={row.key}>
              {keyed(row.value).map(({ key, value }) => (
                <td key={key}>
                  <Pieces text={value} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Pieces({ text }: { readonly text: readonly Inline[] }): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces are never reordered
  return text.map((piece, index) => <Piece key={index} piece={piece} />)
}

const tags = { strong: 'b', emphasis: 'em', deleted: 'del' } as const

function Piece({ piece }: { readonly piece: Inline }): ReactNode {
  if (piece.kind === 'text') return piece.text
  if (piece.kind === 'code') return <code>{piece.text}</code>
  const children = <Pieces text={piece.children} />
  if (piece.kind === 'link')
    return (
      <a
        className="link"
        href={piece.href}
        title={piece.href}
        target="_blank"
        rel="noopener noreferrer nofollow"
      >
        {children}
      </a>
    )
  const Tag = tags[piece.kind]
  return <Tag>{children}</Tag>
}
