import { Button, FileButton, TextInput } from '@mantine/core'
import { FileCode, Import, Info, Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Crawler } from '#shared/model/platform/crawler.ts'
import type { Verdict } from '#shared/platform/crawler-patterns.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { Keys } from '../../../ui/keys.tsx'
import { Note } from '../../../ui/note.tsx'
import pane from '../../../ui/pane.module.css'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { useUndo } from '../../../ui/undo.tsx'
import { usePaste } from '../../../ui/use-paste.ts'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import classes from './crawler.module.css'
import { sharesOf } from './explain.ts'
import { PasteDialog } from './paste-dialog.tsx'
import { sampleUrls } from './sample-urls.ts'
import { TriedRow } from './tried-row.tsx'
import { addUrls, maxPastedCharacters, maxTried, readPasted } from './tried-urls.ts'

/** In pixels. */
const rowHeight = 46

/** URLs that the patterns are tried against, each with the pattern that took or dropped it. */
export function TryPane(props: {
  readonly crawler: Crawler
  readonly verdicts: readonly Verdict[]
  /** Replaces the tried URLs. */
  readonly onChange: (urls: string[]) => void
  /** The chosen URL; null for none. */
  readonly chosen: string | null
  readonly onChoose: (verdict: Verdict) => void
  /** Returns whether the chosen pattern decided about a URL. */
  readonly isMarked: (verdict: Verdict) => boolean
}) {
  const { crawler, verdicts, onChange, chosen, onChoose, isMarked } = props
  const [isPasting, setIsPasting] = useState(false)
  /** Why not all that was pasted is tried. */
  const [notice, setNotice] = useState<string | null>(null)
  const undo = useUndo()
  const urls = verdicts.map(({ url }) => url)

  function add(added: readonly string[]): void {
    const next = addUrls(urls, added)
    onChange(next.urls)
    setNotice(
      next.leftOut === 0
        ? null
        : `${formatCount(next.leftOut, 'URL')} left out: at most ${formatNumber(maxTried)} of up to 2,048 characters are tried at once.`,
    )
  }
  function paste(text: string): void {
    const { urls: pasted, isIndex } = readPasted(text)
    if (isIndex) setNotice('This sitemap only lists other sitemaps. Open one of those and paste its XML.')
    else if (pasted.length === 0)
      setNotice('The pasted text contains no URL. Paste one URL per line, or the XML of a sitemap.')
    else add(pasted)
  }
  usePaste(paste)

  function remove(url: string): void {
    const at = urls.indexOf(url)
    const next = verdicts[at + 1] ?? verdicts[at - 1]
    if (url === chosen && next !== undefined) onChoose(next)
    onChange(urls.filter(one => one !== url))
  }
  function clear(): void {
    onChange([])
    undo({
      done: `${formatCount(urls.length, 'URL')} removed`,
      undone: `${formatCount(urls.length, 'URL')} back`,
      undo: async () => onChange(urls),
    })
  }
  const group = 'Crawler'
  useShortcut(
    { keys: 'backspace', label: 'Remove the chosen URL', group },
    () => chosen !== null && remove(chosen),
    chosen !== null,
  )

  const sample = sampleUrls(crawler)
  return (
    <section className={pane.pane} aria-label="Try the patterns">
      <div className={pane.bar}>
        <h2 className="h2 grow cut">Try the patterns</h2>
        <Button
          leftSection={<Import size={14} />}
          rightSection={<Keys keys="mod+v" />}
          onClick={() => setIsPasting(true)}
        >
          Paste URLs
        </Button>
        <FileButton
          accept=".xml,.txt,text/xml,application/xml,text/plain"
          onChange={file =>
            void file
              ?.slice(0, maxPastedCharacters)
              .text()
              .then(paste, () => setNotice('The file could not be read. Open it and paste its text instead.'))
          }
        >
          {button => (
            <Button
              {...button}
              leftSection={<FileCode size={14} />}
              title="Opens a sitemap.xml from this computer"
            >
              Sitemap file
            </Button>
          )}
        </FileButton>
      </div>
      {notice !== null && (
        <div className={classes.notice} role="status">
          <Note tone="warn">{notice}</Note>
        </div>
      )}
      {verdicts.length === 0 ? (
        <div className={classes.none}>
          <EmptyState
            title="No URLs to try yet"
            actions={
              <>
                <Button leftSection={<Import size={14} />} onClick={() => setIsPasting(true)}>
                  Paste URLs
                </Button>
                {sample.length > 0 && (
                  <Button variant="subtle" onClick={() => add(sample)}>
                    Try a sample
                  </Button>
                )}
              </>
            }
          >
            Paste URLs of your site, one per line, or the XML of its sitemap. Each one shows which pattern
            takes or drops it.{sample.length === 0 && ' With a start URL, you can also try a sample.'}
          </EmptyState>
        </div>
      ) : (
        <>
          <Summary verdicts={verdicts} onClear={clear} />
          <div className={classes.list} style={{ maxHeight: verdicts.length * rowHeight }}>
            <VirtualList
              label="Tried URLs"
              items={verdicts}
              rowHeight={rowHeight}
              getKey={getUrl}
              selectedKey={chosen}
              onSelect={onChoose}
              hasControls
              renderRow={verdict => (
                <TriedRow
                  verdict={verdict}
                  crawler={crawler}
                  isMarked={isMarked(verdict)}
                  onRemove={() => remove(verdict.url)}
                />
              )}
            />
          </div>
        </>
      )}
      <AddUrl onAdd={paste} />
      <p className={classes.foot}>
        <Info size={14} />
        <span>
          Nothing is fetched here. Depth and page count are applied while crawling.
          {crawler.startUrl === '' && ' Without a start URL, every host counts.'}
        </span>
      </p>
      {isPasting && (
        <PasteDialog
          onPaste={text => {
            setIsPasting(false)
            paste(text)
          }}
          onClose={() => setIsPasting(false)}
        />
      )}
    </section>
  )
}

const getUrl = ({ url }: Verdict) => url

/** Returns “4 taken · 2 dropped · 3 not taken · 1 not a URL”, without what there is none of. */
export const countWords = (verdicts: readonly Verdict[]) =>
  sharesOf(verdicts)
    .filter(({ count }, index) => count > 0 || index === 0)
    .map(({ count, word }) => `${formatNumber(count)} ${word}`)
    .join(' · ')

function Summary(props: { readonly verdicts: readonly Verdict[]; readonly onClear: () => void }) {
  const { verdicts, onClear } = props
  const taken = verdicts.filter(verdict => verdict.taken).length
  return (
    <div className={classes.summary}>
      <span className={classes.read} role="status">
        {formatNumber(taken)} of {formatNumber(verdicts.length)} {taken === 1 ? 'is' : 'are'} read
      </span>
      <span className={classes.shares} role="img" aria-label={countWords(verdicts)}>
        {sharesOf(verdicts).map(
          ({ tone, count }) => count > 0 && <i key={tone} data-tone={tone} style={{ flexGrow: count }} />,
        )}
      </span>
      <Button size="xs" variant="subtle" onClick={onClear}>
        Clear
      </Button>
    </div>
  )
}

function AddUrl({ onAdd }: { readonly onAdd: (text: string) => void }) {
  const [text, setText] = useState('')
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (text.trim() === '') return
    onAdd(text)
    setText('')
  }
  return (
    <form className={classes.add} onSubmit={submit}>
      <TextInput
        className="grow"
        size="sm"
        leftSection={<Plus size={14} />}
        classNames={{ input: classes.addInput ?? '' }}
        aria-label="Add a URL to try"
        placeholder="Add a URL to try"
        spellCheck={false}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        onPaste={event => {
          const pasted = event.clipboardData.getData('text/plain')
          // A field of one line would join the lines.
          if (!/[\r\n]/.test(pasted.trim())) return
          event.preventDefault()
          onAdd(pasted)
        }}
      />
      {text.trim() !== '' && (
        <Button type="submit" size="xs" rightSection={<Keys keys="enter" />}>
          Add
        </Button>
      )}
    </form>
  )
}
