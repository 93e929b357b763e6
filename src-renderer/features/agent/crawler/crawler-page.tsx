import { TextInput } from '@mantine/core'
import { useDeferredValue, useMemo, useState } from 'react'
import type { Crawler } from '#shared/model/platform/crawler.ts'
import { tryPatterns, type Verdict } from '#shared/platform/crawler-patterns.ts'
import { formatNumber } from '../../../ui/format.ts'
import { useLocalStorage } from '../../../ui/use-local-storage.ts'
import { type AgentForm, AgentPage, AgentSection } from '../agent-page.tsx'
import { NumberField } from '../number-field.tsx'
import { useAgent } from '../use-agent.ts'
import { useShape } from '../use-shapes.ts'
import { decidedBy, listOf, type PatternList } from './explain.ts'
import { PatternFields } from './pattern-fields.tsx'
import { TriedUrls } from './tried-urls.ts'
import { countWords, TryPane } from './try-pane.tsx'

/** The selection: a tried URL, or a pattern. */
type Choice = { readonly url: string } | { readonly list: PatternList; readonly index: number }

const words: Readonly<Record<keyof Crawler, string>> = {
  startUrl: 'start URL',
  includePatterns: 'patterns to take',
  excludePatterns: 'patterns to drop',
  maxDepth: 'maximum depth',
  maxPages: 'maximum pages',
}

const none: string[] = []

/** The crawler of an agent: its patterns, tried against URLs. */
export function CrawlerPage() {
  const { scope } = useAgent()
  const [urls, setUrls] = useLocalStorage(
    `crawler-urls:${scope?.workspaceId}/${scope?.agentId}`,
    TriedUrls,
    none,
  )
  const [choice, setChoice] = useState<Choice | null>(null)
  return (
    <AgentPage
      path="/agent/crawler"
      saved={useShape('crawler')}
      heading="Website crawler"
      intro="Which pages of your site the agent reads."
      fields={words}
      hints={{ 'mod+v': 'paste URLs', updown: 'show the rule' }}
      foot={({ draft }) => urls.length > 0 && <Figures crawler={draft} urls={urls} />}
      pane={{
        name: 'Try',
        size: 656,
        content: ({ draft }) => (
          <Tried crawler={draft} urls={urls} setUrls={setUrls} choice={choice} onChoose={setChoice} />
        ),
      }}
    >
      {form => <CrawlerForm form={form} urls={urls} choice={choice} onChoose={setChoice} />}
    </AgentPage>
  )
}

/** Returns what the patterns decide about the tried URLs, without holding up typing. */
function useVerdicts(crawler: Crawler, urls: readonly string[]): readonly Verdict[] {
  const { startUrl, includePatterns, excludePatterns } = useDeferredValue(crawler)
  return useMemo(
    () => tryPatterns({ startUrl, includePatterns, excludePatterns }, urls),
    [startUrl, includePatterns, excludePatterns, urls],
  )
}

function Figures({ crawler, urls }: { readonly crawler: Crawler; readonly urls: readonly string[] }) {
  return <span className="num">{countWords(useVerdicts(crawler, urls))}</span>
}

function Tried(props: {
  readonly crawler: Crawler
  readonly urls: readonly string[]
  readonly setUrls: (urls: string[]) => void
  readonly choice: Choice | null
  readonly onChoose: (choice: Choice) => void
}) {
  const { crawler, urls, setUrls, choice, onChoose } = props
  const verdicts = useVerdicts(crawler, urls)
  const isMarked = (verdict: Verdict) =>
    choice !== null &&
    'list' in choice &&
    listOf(verdict) === choice.list &&
    crawler[choice.list].indexOf(verdict.rule ?? '') === choice.index
  const chosen = choice === null ? null : 'url' in choice ? choice.url : verdicts.find(isMarked)?.url
  return (
    <TryPane
      crawler={crawler}
      verdicts={verdicts}
      onChange={setUrls}
      chosen={chosen ?? null}
      onChoose={({ url }) => onChoose({ url })}
      isMarked={isMarked}
    />
  )
}

function CrawlerForm(props: {
  readonly form: AgentForm<Crawler>
  readonly urls: readonly string[]
  readonly choice: Choice | null
  readonly onChoose: (choice: Choice) => void
}) {
  const { form, urls, choice, onChoose } = props
  const { draft, change, problems } = form
  const verdicts = useVerdicts(draft, urls)
  const chosen =
    choice !== null && 'url' in choice ? verdicts.find(({ url }) => url === choice.url) : undefined
  const ofList = (list: PatternList) => ({
    patterns: draft[list],
    counts: urls.length === 0 ? null : decidedBy(list, draft[list], verdicts),
    marked:
      choice !== null && 'list' in choice
        ? choice.list === list
          ? choice.index
          : -1
        : chosen !== undefined && listOf(chosen) === list
          ? draft[list].indexOf(chosen.rule ?? '')
          : -1,
    problem: problems[list],
    problemOf: (index: number) => problems[`${list}.${index}`],
    onChange: (patterns: string[]) => change({ [list]: patterns }),
    onChoose: (index: number) => onChoose({ list, index }),
  })
  return (
    <AgentSection>
      <div className="stack" style={{ gap: 14 }}>
        <TextInput
          label="Start URL"
          placeholder="https://"
          classNames={{ input: 'mono' }}
          spellCheck={false}
          value={draft.startUrl}
          error={problems.startUrl}
          onChange={event => change({ startUrl: event.currentTarget.value })}
        />
        <PatternFields
          label="Take"
          help={
            <>
              paths, <code>*</code> stands for anything
            </>
          }
          beside={urls.length > 0 && `of ${formatNumber(urls.length)}`}
          empty="Without a pattern, every path of the start URL’s host is taken."
          noun="Take pattern"
          none="takes none"
          tone="ok"
          {...ofList('includePatterns')}
        />
        <PatternFields
          label="But drop"
          help="wins over the list above"
          noun="Drop pattern"
          none="drops none"
          tone="bad"
          {...ofList('excludePatterns')}
        />
        <div className="pair">
          <NumberField
            label="Maximum depth"
            suffix=" links"
            min={0}
            value={draft.maxDepth}
            error={problems.maxDepth}
            onChange={maxDepth => change({ maxDepth })}
          />
          <NumberField
            label="Maximum pages"
            min={1}
            step={100}
            value={draft.maxPages}
            error={problems.maxPages}
            onChange={maxPages => change({ maxPages })}
          />
        </div>
      </div>
    </AgentSection>
  )
}
