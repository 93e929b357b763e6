import { SegmentedControl } from '@mantine/core'
import { Copy } from 'lucide-react'
import type { Check, CheckAdvice } from '#shared/model/receiver-check.ts'
import { adviceWords, checkWords } from '#shared/receiver-check/words.ts'
import { languageSnippets } from '../../entities/snippet/languages.ts'
import { Language, languages } from '../../entities/snippet/snippet.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { highlight } from '../../ui/highlight.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useLocalStorage } from '../../ui/use-local-storage.ts'
import classes from './receiver-check.module.css'

/** The lines of a receiver to change, in the language that the user has chosen. */
export function Change(props: { readonly advice: CheckAdvice; readonly others: readonly Check[] }) {
  const { code, lines } = props.advice
  const [chosen, choose] = useLocalStorage('code-language', Language, 'node')
  const offered = languages.filter(language => Object.hasOwn(lines, language))
  const language = offered.find(one => one === chosen) ?? offered[0]
  const also = props.others
    .filter(({ advice }) => advice?.code === code)
    .map(({ id }) => checkWords[id].title)
  return (
    <>
      <div className={classes.sent}>
        <h3 className="h3">What to change</h3>
        {also.length > 0 && <span className="sm t3 cut">also mends {quoted(also)}</span>}
      </div>
      {language === undefined ? (
        <p className="t2">{adviceWords[code].change}</p>
      ) : (
        <div className={classes.fix}>
          <div className={classes.languages}>
            <SegmentedControl
              size="xs"
              aria-label="Language"
              value={language}
              onChange={choose}
              data={offered.map(one => ({ value: one, label: languageSnippets[one].send.label }))}
            />
            <span className="push" />
            <IconButton
              icon={Copy}
              size="xs"
              label="Copy the change"
              onClick={() => void copyWithToast(right(lines[language] ?? ''), 'Change')}
            />
          </div>
          <Lines text={lines[language] ?? ''} language={language} />
        </div>
      )}
      {language !== undefined && <p className="sm t3">{adviceWords[code].change}</p>}
    </>
  )
}

const quoted = (titles: readonly string[]) =>
  titles.length > 2 ? `${titles.length} more` : titles.map(title => `“${title}”`).join(' and ')

/** Returns the lines as they must be. */
const right = (text: string) =>
  text
    .split('\n')
    .filter(line => !line.startsWith('- '))
    .map(line => line.slice(2))
    .join('\n')

function Lines({ text, language }: { readonly text: string; readonly language: Language }) {
  const lines = text.split('\n')
  const marked = (mark: string) =>
    new Set(lines.flatMap((line, index) => (line.startsWith(mark) ? [index] : [])))
  const { highlight: grammar, label } = languageSnippets[language].verify
  return (
    <CodeBlock
      label={`What to change in ${label}`}
      lines={lines.map(line => highlight(line.slice(2), grammar).flat())}
      added={marked('+')}
      removed={marked('-')}
    />
  )
}
