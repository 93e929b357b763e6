import { Button, Menu } from '@mantine/core'
import { ChevronDown, Copy } from 'lucide-react'
import { z } from 'zod'
import type { DiagnosisCode } from '#shared/model/diagnosis.ts'
import { type Fix, fixFor } from '#shared/snippets/fixes.ts'
import { highlight } from '#shared/snippets/highlight.ts'
import { languageSnippets } from '#shared/snippets/languages.ts'
import { type HighlightId, languages } from '#shared/snippets/snippet.ts'
import { copyAndTell } from '../../ui/copy-and-tell.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import classes from './detail.module.css'

const Language = z.enum(languages)
type Language = z.infer<typeof Language>

/** The lines that mend a sender, in its language. */
export function FixCard(props: {
  readonly code: DiagnosisCode
  readonly language: Language
  readonly onLanguage: (language: Language) => void
}) {
  const { code, language, onLanguage } = props
  const fix = fixFor(code, language)
  if (fix === null) return null
  const { label, highlight: grammar } = languageSnippets[language].send
  const copy = (lines: readonly string[]) =>
    copyAndTell(lines.join('\n'), {
      done: 'Fix copied',
      note: 'The lines as they must be.',
      failed: 'The fix was not copied',
    })
  return (
    <section className={classes.fix} aria-label={`Fix in ${label}`}>
      <div className={classes.fixHead}>
        <span className="sm w5">Fix in {label}</span>
        <span className="push" />
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              size="xs"
              variant="subtle"
              rightSection={<ChevronDown size={12} aria-hidden="true" />}
              aria-label={`Fix in ${label}. Other languages`}
            >
              Other languages
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.RadioGroup
              value={language}
              onChange={value => onLanguage(Language.catch(language).parse(value))}
            >
              {languages.map(one => (
                <Menu.RadioItem key={one} value={one} closeMenuOnClick>
                  {languageSnippets[one].send.label}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Dropdown>
        </Menu>
        <IconButton
          size="xs"
          icon={Copy}
          label="Copy fix"
          onClick={() => void copy([...fix.before, ...fix.added, ...fix.after])}
        />
      </div>
      <Lines fix={fix} grammar={grammar} />
    </section>
  )
}

const changes = [
  ['before', ' '],
  ['removed', '−'],
  ['added', '+'],
  ['after', ' '],
] as const

function Lines({ fix, grammar }: { readonly fix: Fix; readonly grammar: HighlightId }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
    <pre tabIndex={0}>
      {changes.flatMap(([change, sign]) =>
        fix[change].map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are never reordered
          <span key={`${change} ${index}`} className={classes.fixLine} data-change={change}>
            {sign !== ' ' && <span className="sr">{change}: </span>}
            <span className={classes.sign} aria-hidden="true">
              {sign}
            </span>
            {highlight(line, grammar)
              .flat()
              .map(({ text, kind }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line are never reordered
                <span key={at} style={{ color: `var(--cc-c-${kind})` }}>
                  {text}
                </span>
              ))}
            {'\n'}
          </span>
        )),
      )}
    </pre>
  )
}
