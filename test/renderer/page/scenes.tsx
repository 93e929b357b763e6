import { Button, Modal, TextInput } from '@mantine/core'
import { type ComponentType, useRef, useState } from 'react'
import { CodeBlock, JsonBlock } from '#renderer/ui/code-block.tsx'
import { DiffView } from '#renderer/ui/diff-view.tsx'
import { formatJson } from '#renderer/ui/format-json.ts'
import { JsonEditor, type JsonEditorHandle, type JsonEditorProps } from '#renderer/ui/json-editor.tsx'
import { JsonTree } from '#renderer/ui/json-tree.tsx'
import { TemplateField } from '#renderer/ui/template-field.tsx'
import { TimingBar } from '#renderer/ui/timing-bar.tsx'
import { VirtualList, type VirtualListHandle } from '#renderer/ui/virtual-list.tsx'
import { brokenImport } from '../../support/broken-import.ts'
import { large, response, sample } from './samples.ts'

const marks = new Map([
  ['refund.id', 'refund_id'],
  ['refund.amount.value', 'amount'],
  ['order.lines[0].sku', 'first_sku'],
])

function Tree({ text }: { readonly text: string }) {
  const [search, setSearch] = useState('')
  const [path, setPath] = useState<string | null>(null)
  const [acted, setActed] = useState('')
  return (
    <div className="col" style={{ height: '100%', gap: 8 }}>
      <TextInput label="Search" value={search} onChange={event => setSearch(event.currentTarget.value)} />
      <div className="grow" style={{ minHeight: 0 }}>
        <JsonTree
          text={text}
          label="Response"
          selectedPath={path}
          onSelect={node => setPath(node.path)}
          renderAction={node =>
            node.path !== null && (
              <>
                <code>{`{{${node.path}}}`}</code>
                <Button size="xs" tabIndex={-1} onClick={() => setActed(node.path ?? '')}>
                  Copy variable
                </Button>
              </>
            )
          }
          marks={marks}
          search={search}
        />
      </div>
      <output aria-label="Selected">{path}</output>
      <output aria-label="Acted on">{acted}</output>
    </div>
  )
}

function Editor(props: { readonly value: string } & Partial<JsonEditorProps>) {
  const [text, setText] = useState(props.value)
  const editor = useRef<JsonEditorHandle>(null)
  return (
    <div className="col" style={{ gap: 8, height: '100%' }}>
      <div className="row">
        <Button onClick={() => editor.current?.format()}>Format</Button>
        <Button onClick={() => editor.current?.goTo({ line: 22, column: 39 })}>Go to line 22</Button>
        <Button onClick={() => setText(sample)}>Sample</Button>
      </div>
      <div className="grow" style={{ minHeight: 0 }}>
        <JsonEditor label="Sample payload" {...props} ref={editor} value={text} onChange={setText} />
      </div>
      <TextInput label="After" />
      <textarea aria-label="Text" className="sr" value={text.slice(0, 2000)} readOnly />
    </div>
  )
}

const problems: JsonEditorProps['problems'] = [
  {
    line: 13,
    column: 24,
    severity: 'error',
    message: 'A path takes no placeholder. Use `/orders/lookup` and send `order_id` as a parameter.',
  },
  { line: 20, column: 7, severity: 'warning', message: 'Unknown key, will be left out.' },
  {
    line: 22,
    column: 39,
    severity: 'error',
    message: '“text” is not a type. Use string, number, boolean or object.',
  },
]

function Template() {
  const [value, setValue] = useState('Bearer {{ACME_API_KEY}} {{GONE}}')
  const [asked, setAsked] = useState(0)
  return (
    <form
      className="col"
      style={{ gap: 16, width: 480 }}
      onSubmit={event => {
        event.preventDefault()
        setAsked(before => before + 100)
      }}
    >
      <TextInput label="Plain" defaultValue="Bearer" />
      <TemplateField
        label="Header value"
        value={value}
        onChange={setValue}
        names={['ACME_API_KEY', 'ACME_REGION']}
        unknownNames={['ACME_TENANT']}
        onNewVariable={() => setAsked(before => before + 1)}
      />
      <TemplateField
        label="Small"
        value=""
        onChange={() => {}}
        names={[]}
        placeholder="What is sent"
        isInvalid
      />
      <output aria-label="Value">{value}</output>
      <output aria-label="Asked">{asked}</output>
    </form>
  )
}

const one = formatJson(sample)
const other = one
  .replace('149.00', '149')
  .replace('"EUR"', '"USD"')
  .replace('  "express": true', '  "express": true,\n  "gift": null')

function Dialog() {
  const [isOpen, setOpen] = useState(true)
  const [value, setValue] = useState('')
  return (
    <Modal opened={isOpen} onClose={() => setOpen(false)} title="Import" transitionProps={{ duration: 0 }}>
      <JsonEditor label="Document" value={sample} maxLines={8} />
      <TemplateField label="Header value" value={value} onChange={setValue} names={['ACME_API_KEY']} />
    </Modal>
  )
}

function Diff({ same }: { readonly same?: boolean }) {
  return <DiffView before={one} after={same ? one : other} beforeLabel="14:32:08" afterLabel="14:18:51" />
}

function Code() {
  return (
    <div className="col" style={{ gap: 16, width: 560 }}>
      <JsonBlock text={sample} label="Sample payload" copyText={sample} />
      <JsonBlock text={'{ "ok": true }'} label="Answer" />
      <CodeBlock
        label="Fix in Node"
        removed={new Set([1])}
        added={new Set([2])}
        lines={[
          [{ text: '// Sign the timestamp too', kind: 'com' }],
          [
            { text: 'const', kind: 'lit' },
            { text: ' signed = ', kind: 'key' },
            { text: 'hmac', kind: 'fn' },
            { text: '(body)', kind: 'pun' },
          ],
          [
            { text: 'const', kind: 'lit' },
            { text: ' signed = ', kind: 'key' },
            { text: 'hmac', kind: 'fn' },
            // biome-ignore lint/suspicious/noTemplateCurlyInString: this is code to show
            { text: '(`${timestamp}.${body}`)', kind: 'str' },
          ],
        ]}
      />
    </div>
  )
}

type Row = { readonly key: string; readonly text: string }
const row = (number: number): Row => ({ key: `row-${number}`, text: `Event ${number}` })
const first = Array.from({ length: 100_000 }, (_, index) => row(index))
const keyOf = ({ key }: Row) => key

function List({ hasControls = false }: { readonly hasControls?: boolean }) {
  const [rows, setRows] = useState(first)
  const [selected, setSelected] = useState<string | null>(null)
  const [opened, setOpened] = useState('')
  const [ends, setEnds] = useState(0)
  const [isAtTop, setAtTop] = useState(true)
  const list = useRef<VirtualListHandle>(null)
  return (
    <div className="col" style={{ gap: 8, height: '100%', width: 400 }}>
      <div className="row">
        <Button
          onClick={() => setRows(before => [-1, -2, -3].map(n => row(n * before.length)).concat(before))}
        >
          Three newer
        </Button>
        <Button onClick={() => list.current?.scrollToTop()}>To the top</Button>
      </div>
      <div className="grow" style={{ minHeight: 0 }}>
        <VirtualList
          ref={list}
          items={rows}
          rowHeight={48}
          getKey={keyOf}
          label="Events"
          selectedKey={selected}
          onSelect={({ key }) => setSelected(key)}
          onActivate={({ text }) => setOpened(text)}
          onEndReached={() => setEnds(before => before + 1)}
          onTopChange={setAtTop}
          stickToTop
          hasControls={hasControls}
          renderRow={({ text }) => (
            <div className="row" style={{ height: '100%', padding: '0 16px' }}>
              <span className="grow w5">{text}</span>
              {hasControls && <Button size="xs">Open</Button>}
            </div>
          )}
        />
      </div>
      <output aria-label="Selected">{selected}</output>
      <output aria-label="Opened">{opened}</output>
      <output aria-label="Ends">{ends}</output>
      <output aria-label="At the top">{String(isAtTop)}</output>
    </div>
  )
}

function Timing() {
  const timings = { totalMs: 214, dnsMs: 3, connectMs: 21, tlsMs: 38, firstByteMs: 147, downloadMs: 5 }
  return (
    <div className="col" style={{ gap: 24, width: 434 }}>
      <TimingBar timings={timings} />
      <TimingBar
        timings={{ ...timings, totalMs: 147.4, dnsMs: 0, connectMs: 0, tlsMs: 0, downloadMs: 0.3 }}
      />
      <TimingBar timings={{ ...timings, dnsMs: 0, tlsMs: 0, connectMs: 0.42 }} />
    </div>
  )
}

/** The components that the page shows, by the fragment of its address. */
export const scenes: Readonly<Record<string, ComponentType>> = {
  tree: () => <Tree text={response} />,
  'tree-large': () => <Tree text={large} />,
  'tree-no-json': () => <Tree text="upstream timed out" />,
  editor: () => <Editor value={sample} minLines={3} maxLines={16} />,
  'editor-small': () => (
    <Editor value={'{\n  "ticket": "SUP-3312"\n}'} minLines={3} maxLines={10} foot={false} />
  ),
  'editor-text': () => <Editor value="curl https://api.example.com/orders" language="text" />,
  'editor-large': () => <Editor value={large} />,
  problems: () => <Editor value={brokenImport} problems={problems} foot={false} frame={false} />,
  template: Template,
  dialog: Dialog,
  diff: Diff,
  'diff-same': () => <Diff same />,
  code: Code,
  list: List,
  grid: () => <List hasControls />,
  timing: Timing,
}
