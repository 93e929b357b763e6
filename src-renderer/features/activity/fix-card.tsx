import { Button, Menu } from '@mantine/core'
import { ChevronDown, Copy } from 'lucide-react'
import type { DiagnosisCode } from '#shared/model/diagnosis.ts'
import { type Fix, fixFor } from '../../entities/snippet/fixes.ts'
import { languageSnippets } from '../../entities/snippet/languages.ts'
import { Language, languages } from '../../entities/snippet/snippet.ts'
import { ChoiceItems } from '../../ui/choice-items.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import type { HighlightId } from '../../ui/grammars.ts'
import { highlight } from '../../ui/highlight.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import classes from './detail.module.css'

/** The connection's own URL is a credential, so it is neither shown nor copied here. */
const sample = { url: 'https://your-inbound-url', eventName: 'order.paid', data: '{}' }

/** The lines that fix a sender in a language, or a whole correct sender. */
export function FixCard(props: {
  /** Null if nothing was found, or if there was no signature. */
  readonly code: DiagnosisCode | null
  readonly language: Language
  readonly onLanguage: (language: Language) => void
}) {
  const { code, language, onLanguage } = props
  const fix = code === null ? null : fixFor(code, language)
  const { label, highlight: grammar, render } = languageSnippets[language].send
  // Without a known mistake in the code, it shows a whole correct sender.
  const title = fix === null ? `A sender in ${label}` : `Fix in ${label}`
  const copy = (lines: readonly string[]) =>
    fix === null
      ? copyWithToast(lines.join('\n'), 'Code', 'It reads the secret from CC_SIGNING_SECRET.')
      : copyWithToast(lines.join('\n'), 'Fix', 'The corrected lines.')
  return (
    <section className={classes.fix} aria-label={title}>
      <div className={classes.fixHead}>
        <span className="sm w5">{title}</span>
        <span className="push" />
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              size="xs"
              variant="subtle"
              rightSection={<ChevronDown size={12} />}
              aria-label={`${title}. Other languages`}
            >
              Other languages
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <ChoiceItems
              value={language}
              onChoose={value => onLanguage(Language.catch(language).parse(value))}
              options={languages.map(one => ({ value: one, label: languageSnippets[one].send.label }))}
            />
          </Menu.Dropdown>
        </Menu>
        <IconButton
          size="xs"
          icon={Copy}
          label={fix === null ? 'Copy the code' : 'Copy fix'}
          onClick={() =>
            void copy(fix === null ? [render(sample)] : [...fix.before, ...fix.added, ...fix.after])
          }
        />
      </div>
      {fix === null ? (
        <CodeBlock label={title} lines={highlight(render(sample), grammar)} />
      ) : (
        <Lines fix={fix} grammar={grammar} label={`What to change in ${label}`} />
      )}
    </section>
  )
}

/** The wrong and the corrected lines, between unchanged ones. */
function Lines(props: { readonly fix: Fix; readonly grammar: HighlightId; readonly label: string }) {
  const { before, removed, added, after } = props.fix
  const gone = before.length + removed.length
  return (
    <CodeBlock
      label={props.label}
      lines={[...before, ...removed, ...added, ...after].map(line => highlight(line, props.grammar).flat())}
      removed={new Set(removed.map((_, index) => before.length + index))}
      added={new Set(added.map((_, index) => gone + index))}
    />
  )
}
