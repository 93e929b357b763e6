import { Button, SegmentedControl, Switch, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { IconButton } from '../../../ui/icon-button.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { SearchSelect } from '../../../ui/search-select.tsx'
import classes from './sender.module.css'
import type { NameDraft, NameIn, SenderDraft } from './sender-draft.ts'

const nameKinds = {
  header: 'Header',
  path: 'Field',
  query: 'Query',
  constant: 'Always',
  present: 'First field of',
} as const satisfies Record<NameIn, string>

const nameLabels = {
  header: 'Header with the event name',
  path: 'Field with the event name',
  query: 'Query parameter with the event name',
  constant: 'Event name',
  present: 'Fields, of which the first gives its own name',
} as const satisfies Record<NameIn, string>

const formats = {
  json: 'JSON',
  form: 'Form',
  multipart: 'Multipart',
  text: 'Text',
  xml: 'XML',
} as const

/** Says where a body has its events, with their names and their data. */
export function BodyFields(props: {
  readonly draft: SenderDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { draft, problems, onEdit } = props
  const { dataFrom, data, format } = draft
  return (
    <>
      <Names {...props} />
      <div className={classes.field}>
        <span className={classes.label} id="data-from">
          Data from
        </span>
        <SegmentedControl
          aria-labelledby="data-from"
          className={classes.choice}
          value={dataFrom}
          onChange={from => onEdit({ dataFrom: from })}
          data={optionsOf({ body: 'The whole body', path: 'A field', items: 'Each item of a list' } as const)}
        />
        {dataFrom !== 'body' && (
          <TextInput
            aria-label={dataFrom === 'path' ? 'Field with the data' : 'Field with the list'}
            classNames={{ input: classes.machine ?? '' }}
            spellCheck={false}
            placeholder={dataFrom === 'items' ? 'The body is the list' : 'data'}
            value={data}
            onChange={event => onEdit({ data: event.currentTarget.value })}
            error={problems.data}
          />
        )}
        {dataFrom === 'items' && (
          <span className="sm t2">
            Each becomes an event of its own: all are stored or none, at most 1,000.
          </span>
        )}
      </div>
      {draft.scheme === 'template' && (
        <SearchSelect
          label="Bodies other than JSON"
          data={optionsOf({ default: 'Fields of a form', ...formats })}
          value={format === '' ? 'default' : format}
          onChange={value => {
            if (value !== null) onEdit({ format: value === 'default' ? '' : value })
          }}
          error={problems.format}
        />
      )}
      <Switch
        label="Accept requests without an event"
        description="If the proof is right, they are answered 200 and start nothing."
        checked={draft.acceptsEmpty}
        onChange={event => onEdit({ acceptsEmpty: event.currentTarget.checked })}
      />
      {draft.timestampHeader === '' && (
        <Switch
          label="A redelivery starts again what failed"
          description="Or what did nothing. Without it, a repeat starts nothing."
          checked={draft.redelivers}
          onChange={event => onEdit({ redelivers: event.currentTarget.checked })}
        />
      )}
    </>
  )
}

/** The places of the name. The first that has one wins. */
function Names(props: {
  readonly draft: SenderDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { problems, onEdit } = props
  const { names } = props.draft
  const change = (index: number, name: Partial<NameDraft>) =>
    onEdit({ names: names.map((one, at) => (at === index ? { ...one, ...name } : one)) })
  const nth = (index: number) => (index === 0 ? '' : `, place ${index + 1}`)
  return (
    <div className={classes.field}>
      <span className={classes.label}>Event name from</span>
      {names.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a place has no id, and its fields keep no state
        <div className={classes.name} key={index}>
          <SearchSelect
            className={classes.nameKind}
            aria-label={`Where the event name is${nth(index)}`}
            data={optionsOf(nameKinds)}
            value={name.in}
            onChange={value => {
              if (value !== null) change(index, { in: value })
            }}
          />
          <TextInput
            className="grow"
            aria-label={nameLabels[name.in] + nth(index)}
            classNames={{ input: classes.machine ?? '' }}
            spellCheck={false}
            value={name.text}
            onChange={event => change(index, { text: event.currentTarget.value })}
            error={index === 0 ? problems.names : undefined}
          />
          {names.length > 1 && (
            <IconButton
              size="sm"
              icon={X}
              label={`Remove place ${index + 1}`}
              onClick={() => onEdit({ names: names.filter((_one, at) => at !== index) })}
            />
          )}
        </div>
      ))}
      {names.length < 10 && (
        <Button
          variant="subtle"
          size="xs"
          className={classes.choice}
          leftSection={<Plus size={12} />}
          onClick={() => onEdit({ names: [...names, { in: 'path', text: '' }] })}
        >
          Else from
        </Button>
      )}
    </div>
  )
}
