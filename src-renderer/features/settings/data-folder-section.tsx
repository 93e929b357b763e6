import { Button, Code } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Copy, Download, FolderOpen, LogOut } from 'lucide-react'
import { useState } from 'react'
import type { ServiceInfo } from '#shared/model/service.ts'
import { api, client, isDesktop } from '../../client/client.ts'
import { backupAddress, signOut } from '../../client/session.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { ErrorState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Note } from '../../ui/note.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { FormRow, PageContent, Section } from './section.tsx'

const keyPlaces: Readonly<Record<ServiceInfo['dataKey'], string>> = {
  file: 'In the folder itself, in a file that only this user can read.',
  environment: 'Given to the service by its environment. A backup does not hold it: keep it apart.',
  keychain: 'Wrapped by this system’s keychain. A backup opens only where that keychain is.',
}

/** Where everything is kept, and how to take it elsewhere. */
export function DataFolderSection() {
  const { data, error } = useQuery(api.service.get.queryOptions())
  if (error !== null && data === undefined)
    return <ErrorState title="The service cannot be asked" error={error} />
  if (data === undefined) return null
  const { dataFolder, dataKey } = data
  const copyPath = () => void copyWithToast(dataFolder, 'Path')
  return (
    <PageContent>
      <Section
        title="Data folder"
        intro="Connections, secrets, settings and stored events: all of it is here, and nothing is sent anywhere else."
      >
        <FormRow label="Folder">
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
        intro="The whole folder as one file, consistent although the service goes on. It holds every secret: keep it as safe as they are."
        action={isDesktop ? <SaveBackup /> : <DownloadBackup />}
      >
        <FormRow label="By the command line">
          <Code block>custom-connection backup FILE</Code>
        </FormRow>
        <FormRow label="Restore" help="Stop the service first. What is there now is set aside, not deleted.">
          <Code block>custom-connection restore FILE --force</Code>
        </FormRow>
      </Section>
      {!isDesktop && <Session />}
    </PageContent>
  )
}

function OpenFolder() {
  const open = () =>
    void client.desktop.openDataFolder().then(
      ({ opened }) => {
        if (!opened)
          toastProblem('The folder was not opened', new Error('The system has nothing to open it with.'))
      },
      error => toastProblem('The folder was not opened', error),
    )
  return (
    <Button size="xs" leftSection={<FolderOpen />} onClick={open}>
      Open
    </Button>
  )
}

function SaveBackup() {
  const [isSaving, setIsSaving] = useState(false)
  async function save() {
    setIsSaving(true)
    try {
      const { file } = await client.desktop.saveBackup()
      if (file !== null) toastDone('Backup saved', file)
    } catch (error) {
      toastProblem('The backup was not saved', error, [{ label: 'Try again', run: () => void save() }])
    } finally {
      setIsSaving(false)
    }
  }
  return (
    <Button leftSection={<Download />} loading={isSaving} onClick={() => void save()}>
      Save a backup…
    </Button>
  )
}

function DownloadBackup() {
  const [isAsking, setIsAsking] = useState(false)
  async function start() {
    setIsAsking(true)
    try {
      const link = document.createElement('a')
      link.href = await backupAddress()
      link.download = ''
      link.click()
    } catch (error) {
      toastProblem('The backup was not downloaded', error, [{ label: 'Try again', run: () => void start() }])
    } finally {
      setIsAsking(false)
    }
  }
  return (
    <Button leftSection={<Download />} loading={isAsking} onClick={() => void start()}>
      Download a backup
    </Button>
  )
}

function Session() {
  const leave = () =>
    void signOut().then(
      () => location.reload(),
      error => toastProblem('Signing out did not work', error),
    )
  return (
    <Section
      title="This browser"
      intro="It stays signed in for 30 days, until you sign out or the admin token is changed."
      action={
        <Button leftSection={<LogOut />} onClick={leave}>
          Sign out
        </Button>
      }
    >
      <Note>
        The admin token opens everything here. It is in the file <code>admin-token</code> of the data folder,
        or where <code>--admin-token</code> names it.
      </Note>
    </Section>
  )
}
