import { Button, Checkbox, Menu } from '@mantine/core'
import { ChevronDown, SlidersHorizontal } from 'lucide-react'
import type { ReactNode } from 'react'
import { isOpen } from '#shared/model/sender/sender.ts'
import type { SenderTrial } from '#shared/model/sender/sender-trial.ts'
import { isPreset, namedSchemes, schemes } from '#shared/model/sender/templates.ts'
import { Note } from '../../../ui/note.tsx'
import { Activation } from './activation.tsx'
import { BodyFields } from './body-fields.tsx'
import { CheckChoice } from './check-choice.tsx'
import { PresetFacts } from './preset-facts.tsx'
import { KeyFields, proofs, SettingFields } from './proof-fields.tsx'
import { SchemeFields } from './scheme-fields.tsx'
import { SecretField } from './secret-field.tsx'
import classes from './sender.module.css'
import { fieldsOf, type SenderDraft } from './sender-draft.ts'
import { TriedItems } from './tried-items.tsx'

/** The fields of a scheme. Those of a provider are facts, but for what becomes of the body. */
export function SenderForm(props: {
  readonly draft: SenderDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<SenderDraft>) => void
  /** Whether the scheme is the one that is saved. */
  readonly isSaved: boolean
  /** The events of the tried request; undefined if it has no list of them. */
  readonly items: SenderTrial['items']
  /** Before the heading, and after it. */
  readonly before: ReactNode
  readonly after: ReactNode
}) {
  const { draft, problems, onEdit, isSaved, items, before, after } = props
  const { scheme, verify } = draft
  const { title, settings = {} } = schemes[scheme]
  const isDefault = scheme === 'custom-connection'
  return (
    <section className={classes.pane} aria-labelledby="scheme-fields">
      <div className={classes.bar}>
        {before}
        <h2 className={`h3 ${classes.title}`} id="scheme-fields">
          {title}
        </h2>
        <span className="t2 sm cut grow">{proofWords(draft)}</span>
        {isPreset(scheme) ? (
          <Button
            variant="subtle"
            leftSection={<SlidersHorizontal size={13} />}
            onClick={() => onEdit({ ...draft, scheme: 'template' })}
          >
            Change details
          </Button>
        ) : (
          <StartFrom onStart={fields => onEdit({ scheme: 'template', ...fields })} />
        )}
        {after}
      </div>
      <div className={classes.fields}>
        {isOpen(verify) && <OpenNote draft={draft} problem={problems.accepts} onEdit={onEdit} />}
        <CheckChoice draft={draft} onEdit={onEdit} />
        {isPreset(scheme) ? (
          <PresetFacts draft={draft} />
        ) : (
          <SchemeFields draft={draft} problems={problems} onEdit={onEdit} />
        )}
        <SettingFields draft={draft} problems={problems} onEdit={onEdit} settings={settings} />
        <KeyFields draft={draft} problems={problems} onEdit={onEdit} />
        <SecretField draft={draft} problem={problems.secret} onEdit={onEdit} />
        {isSaved && <Activation />}
        {isDefault ? (
          <p className="sm t2">
            The event name is in <code>event</code>, and the data in <code>data</code>.
          </p>
        ) : (
          <BodyFields draft={draft} problems={problems} onEdit={onEdit} />
        )}
        {items !== undefined && <TriedItems items={items} />}
      </div>
    </section>
  )
}

/** Returns the kind of a proof in a few words. */
function proofWords({ verify, algorithm }: SenderDraft): string {
  return verify === 'hmac' ? `HMAC-${algorithm.toUpperCase()} with the secret` : proofs[verify]
}

/** Says that anyone who knows the URL can send, which the owner has to accept. */
function OpenNote(props: {
  readonly draft: SenderDraft
  readonly problem: string | undefined
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { draft, problem, onEdit } = props
  const isToken = draft.verify === 'token'
  return (
    <>
      <Note tone="bad">
        <strong>
          {isToken ? 'Anyone who knows the URL and the token' : 'Anyone who knows the URL'} can send events.
        </strong>{' '}
        Nothing signs them. Treat the URL as a secret, replace it if it leaks, and do not act on amounts that
        only the event states.
      </Note>
      <Checkbox
        label={
          isToken
            ? 'Accept events with a fixed token on this connection'
            : 'Accept unsigned events on this connection'
        }
        description="Marked in red on Overview."
        checked={draft.accepts}
        onChange={event => onEdit({ accepts: event.currentTarget.checked })}
        error={problem}
      />
    </>
  )
}

/** Copies the fields of a scheme into one that can be described. */
function StartFrom(props: { readonly onStart: (fields: ReturnType<typeof fieldsOf>) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" rightSection={<ChevronDown size={12} />}>
          Start from
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {namedSchemes.map(name => (
          <Menu.Item key={name} onClick={() => props.onStart(fieldsOf(schemes[name].templates[0]))}>
            {schemes[name].title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
