import { SegmentedControl, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { BackupSchedule } from '#shared/model/backup.ts'
import { Settings } from '#shared/model/settings.ts'
import { api } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { Unknown } from '../../ui/badges.tsx'
import type { Fields } from '../../ui/draft/draft.ts'
import { type Problems, useDraft } from '../../ui/draft/use-draft.tsx'
import { formatMinute } from '../../ui/format.ts'
import { optionsOf } from '../../ui/options-of.ts'
import { FormRow, NumberRow, Section } from '../../ui/section.tsx'
import { saveSettings } from './save-settings.ts'

type Every = BackupSchedule['every'] | 'never'
type Draft = Omit<BackupSchedule, 'every'> & { readonly every: Every }

const everyWords: Readonly<Record<Every, string>> = { never: 'Never', day: 'Every day', week: 'Every Sunday' }

const fields: Required<Fields<Draft>> = {
  every: { label: 'how often', show: every => everyWords[every] },
  at: 'time',
  folder: 'folder',
  keep: 'how many stay',
}

/** The fields of a new schedule. */
const blank: Draft = { every: 'never', at: '03:00', folder: '', keep: 14 }

const draftOf = ({ backup }: Settings): Draft => backup ?? blank

function settingOf({ every, ...schedule }: Draft): BackupSchedule | null {
  return every === 'never' ? null : { every, ...schedule }
}

/** Holds the draft of the schedule. Returns its fields, and the bar that saves it. */
export function useScheduleDraft(settings: Settings) {
  const { draft, change, problems, saveBar } = useDraft({
    storedAs: 'settings/backups',
    fields,
    saved: settings,
    draftOf,
    read: Settings.parse,
    async save(sent, _changed, { updatedAt }) {
      const backup = settingOf(sent)
      const note = backup === null ? 'The files that were made stay.' : 'The first one comes at its time.'
      const saved = await saveSettings('Schedule', note, { backup, ifUpdatedAt: updatedAt })
      await queries.invalidateQueries({ queryKey: api.backups.key() })
      return saved
    },
    name: 'the schedule of backups',
    failed: 'The schedule was not saved',
  })
  return { saveBar, schedule: <ScheduleSection {...{ draft, change, problems }} saved={settings.backup} /> }
}

function ScheduleSection(props: {
  readonly draft: Draft
  readonly change: (changed: Partial<Draft>) => void
  readonly problems: Problems
  readonly saved: BackupSchedule | null
}) {
  const { draft, change, problems, saved } = props
  const [at, folder] = [useId(), useId()]
  return (
    <Section
      title="Backups on a schedule"
      intro="The service makes them itself, and reads each one back before it deletes the oldest."
    >
      <FormRow label="How often">
        <div>
          <SegmentedControl
            aria-label="How often"
            value={draft.every}
            onChange={every => change({ every })}
            data={optionsOf(everyWords)}
          />
        </div>
      </FormRow>
      {draft.every !== 'never' && (
        <>
          <FormRow label="Time" field={at} help="In the time zone of the service’s computer.">
            <TextInput
              id={at}
              type="time"
              w={160}
              value={draft.at}
              error={problems['backup.at']}
              onChange={event => change({ at: event.currentTarget.value })}
            />
          </FormRow>
          <FormRow
            label="Folder"
            field={folder}
            help="The whole path on the service’s computer, best on another disk: a backup on the same disk is lost with it."
          >
            <TextInput
              id={folder}
              maw={420}
              className="mono"
              placeholder="/var/backups/custom-connection"
              value={draft.folder}
              error={problems['backup.folder']}
              onChange={event => change({ folder: event.currentTarget.value })}
            />
          </FormRow>
          <NumberRow
            label="Backups to keep"
            help="1 to 365. Older ones of this schedule are deleted."
            value={draft.keep}
            error={problems['backup.keep']}
            onChange={keep => change({ keep })}
          />
        </>
      )}
      {saved !== null && <NextBackup />}
    </Section>
  )
}

function NextBackup() {
  const { data } = useQuery(api.backups.next.queryOptions({ refetchInterval: 60_000 }))
  return (
    <FormRow label="Next backup" help="In your time zone.">
      <p className="num" style={{ paddingTop: 6 }}>
        {data?.at == null ? <Unknown /> : formatMinute(data.at)}
      </p>
    </FormRow>
  )
}
