import { Button, Code } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Copy, Download, FolderOpen, LogOut } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ServiceInfo } from '#shared/model/service.ts'
import type { Settings } from '#shared/model/settings.ts'
import { api, client, isDesktop } from '../../client/client.ts'
import { backupAddress, signOut } from '../../client/session.ts'
import { useHasSeveralNodes } from '../../entities/node/use-nodes.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Note } from '../../ui/note.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { FormRow, PageContent, Section } from '../../ui/section.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import { useScheduleDraft } from './backup-schedule.tsx'
import { BackupTable } from './backup-table.tsx'

const keyPlaces: Readonly<Record<ServiceInfo['dataKey'], string>> = {
  file: 'In a file of this folder that only this user can read.',
  environment: 'In the service’s environment. A backup does not contain it: keep it separately.',
  keychain:
    'Protected by this system’s keychain. The secrets in a backup can only be decrypted with that keychain.',
}

/** The data folder, backups and this browser's session. */
export function DataFolderSection() {
  const query = useQuery(api.service.get.queryOptions())
  if (query.data === undefined) return <QueryState query={query} failed="The data folder could not be read" />
  if (query.data.database !== null) return <DataPage info={query.data} schedule={null} />
  return <FolderPage info={query.data} />
}

/** The page of a data folder, whose backups can have a schedule. */
function FolderPage({ info }: { readonly info: ServiceInfo }) {
  const query = useQuery(api.settings.get.queryOptions())
  if (query.data !== undefined) return <ScheduledPage info={info} settings={query.data} />
  return (
    <DataPage info={info} schedule={<QueryState query={query} failed="The schedule could not be read" />} />
  )
}

function ScheduledPage(props: { readonly info: ServiceInfo; readonly settings: Settings }) {
  return <DataPage info={props.info} {...useScheduleDraft(props.settings)} />
}

function DataPage(props: {
  readonly info: ServiceInfo
  readonly schedule: ReactNode
  readonly saveBar?: ReactNode
}) {
  const { dataFolder, database, dataKey } = props.info
  const isOneOfSeveral = useHasSeveralNodes()
  const copyPath = () => void copyWithToast(dataFolder, 'Path')
  return (
    <PageContent saveBar={props.saveBar}>
      <Section
        title={database === null ? 'Data folder' : 'Database'}
        intro="Connections, secrets, settings, stored events and their history are all here."
      >
        {database !== null && (
          <FormRow label="Database">
            <Code className="cut">{database}</Code>
          </FormRow>
        )}
        <FormRow
          label="Folder"
          help={
            database === null
              ? undefined
              : `Only for the command line and for unfinished uploads.${isOneOfSeveral ? ' Each node has its own; this is that of the one that has answered.' : ''}`
          }
        >
          <div className="row">
            <Code className="cut">{dataFolder}</Code>
            <IconButton icon={Copy} label="Copy the path" size="xs" onClick={copyPath} />
            {isDesktop && <OpenFolder />}
          </div>
        </FormRow>
        <FormRow label="Encryption key">
          <p style={{ paddingTop: 6 }}>{keyPlaces[dataKey]}</p>
        </FormRow>
      </Section>
      <Section
        title="Backup"
        intro={`One file with all data. The service keeps running meanwhile.${dataKey === 'file' ? ' The file contains the key and therefore every secret: store it safely.' : ''}`}
        action={<BackupButton />}
      >
        <FormRow label="On the command line">
          <Code block>custom-connection backup FILE</Code>
        </FormRow>
        {database === null ? (
          <FormRow label="Restore" help="Stop the service first. The current folder is renamed, not deleted.">
            <Code block>custom-connection restore FILE --force</Code>
          </FormRow>
        ) : (
          <FormRow label="Restore" help="To an empty database, named in CUSTOM_CONNECTION_DATABASE.">
            <Code block>custom-connection restore FILE</Code>
          </FormRow>
        )}
      </Section>
      {props.schedule}
      <BackupTable />
      {!isDesktop && <Session hasTokenFile={database === null} />}
    </PageContent>
  )
}

function OpenFolder() {
  const open = useCommand(async () => {
    const { opened } = await client.desktop.openDataFolder()
    if (!opened) throw new Error('No file manager is available on this computer.')
  }, 'The folder was not opened')
  return (
    <Button size="xs" leftSection={<FolderOpen />} onClick={() => open.mutate()}>
      Open
    </Button>
  )
}

async function saveBackup(): Promise<void> {
  const { file } = await client.desktop.saveBackup()
  if (file !== null) toastDone('Backup saved', file)
}

async function downloadBackup(): Promise<void> {
  const link = document.createElement('a')
  link.href = await backupAddress()
  link.download = ''
  link.click()
}

function BackupButton() {
  const backup = useMutation({
    mutationFn: isDesktop ? saveBackup : downloadBackup,
    onError: error => toastProblem('The backup failed', error, () => backup.mutate()),
  })
  return (
    <WriteButton leftSection={<Download />} loading={backup.isPending} onClick={() => backup.mutate()}>
      {isDesktop ? 'Save a backup…' : 'Download a backup'}
    </WriteButton>
  )
}

function Session({ hasTokenFile }: { readonly hasTokenFile: boolean }) {
  const leave = () => void signOut().catch(error => toastProblem('Sign-out failed', error))
  return (
    <Section
      title="This browser"
      intro="It stays signed in for 30 days, or until you sign out or the admin token changes."
      action={
        <Button leftSection={<LogOut />} onClick={leave}>
          Sign out
        </Button>
      }
    >
      <Note>
        The admin token gives full access. It {hasTokenFile && <TokenFile />}was set with{' '}
        <code>--admin-token</code> or <code>CUSTOM_CONNECTION_ADMIN_TOKEN</code>.
      </Note>
    </Section>
  )
}

function TokenFile() {
  return (
    <>
      is in the file <code>admin-token</code> in the data folder, or{' '}
    </>
  )
}
