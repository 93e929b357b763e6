import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useHasSeveralNodes } from '../../entities/node/use-nodes.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { formatCount, formatRelative } from '../../ui/format.ts'
import { useRowKeys } from '../../ui/keyboard-list.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { Note } from '../../ui/note.tsx'
import type { Hints } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useDerivedNow } from '../../ui/use-now.ts'
import { OtherServer } from './other-server.tsx'
import { isUsable, ServerCard } from './server-card.tsx'
import classes from './setup.module.css'
import { useFoundModels } from './use-models.ts'

const group = 'Choice of a model'
export const setupHints: Hints = { 'mod+enter': 'use the chosen one', updown: 'choose', '?': 'all shortcuts' }

/** Offers the model servers of this computer, each with what it lacks, and any other server. */
export function ModelSetup(props: {
  /** The number of tools; undefined until it is known. */
  readonly tools: number | undefined
  /** Whether a model is chosen already. */
  readonly canLeave: boolean
  readonly onDone: () => void
}) {
  const { tools, canLeave, onDone } = props
  const query = useFoundModels()
  const isOneOfSeveral = useHasSeveralNodes()
  const { data, isFetching, refetch } = query
  const [picked, setPicked] = useState<number | null>(null)
  const servers = data?.providers ?? []
  const firstUsable = servers.findIndex(isUsable)
  const chosen = picked ?? (firstUsable === -1 ? servers.length : firstUsable)
  useRowKeys({ group, noun: 'server', count: servers.length + 1, at: chosen }, setPicked)
  useShortcut({ keys: 'escape', label: 'Keep the model', group }, onDone, canLeave)
  const check = () => void refetch()
  return (
    <section className={classes.setup} aria-label="Choose a model">
      <div className={classes.wrap}>
        <h2>Choose a model to talk to</h2>
        <p className={classes.intro}>
          {tools === 0
            ? 'It gets your tools once there are some, asks before it changes anything and never sees a secret.'
            : `It gets your ${tools === undefined ? 'enabled tools' : formatCount(tools, 'enabled tool')}, asks before it changes anything and never sees a secret.`}
        </p>
        {isOneOfSeveral && (
          <Note>
            Each node looks for these servers on its own computer. Run the chosen one on all of them, or enter
            an address that all can reach.
          </Note>
        )}
        {data === undefined ? (
          <QueryState query={query} failed="The search for model servers failed" waiting={<Looking />} />
        ) : (
          servers.map((server, index) => (
            <ServerCard
              key={server.provider}
              server={server}
              isChosen={index === chosen}
              isChecking={isFetching}
              onPick={() => setPicked(index)}
              onCheck={check}
              onDone={onDone}
            />
          ))
        )}
        <OtherServer
          isChosen={chosen === servers.length && data !== undefined}
          onPick={() => setPicked(servers.length)}
          onDone={onDone}
        />
        <div className={classes.last}>
          <p>
            Rather use Claude, VS Code or Cursor?{' '}
            <Link className="link" to="/assistant">
              Connect an assistant
            </Link>{' '}
            instead.
          </p>
          {canLeave && (
            <KeyButton variant="subtle" keys="escape" onClick={onDone}>
              Keep the model
            </KeyButton>
          )}
        </div>
      </div>
    </section>
  )
}

function Looking() {
  return (
    <Delayed>
      <div aria-busy="true">
        <span className="sr">Looking for Ollama and LM Studio</span>
        {['a', 'b'].map(key => (
          <div key={key} className={classes.card}>
            <Skeleton width={28} height={28} />
            <div>
              <Skeleton width={96} height={12} my={4} />
              <Skeleton width="80%" height={10} my={4} />
            </div>
          </div>
        ))}
      </div>
    </Delayed>
  )
}

/** Shows when the servers were looked for. */
export function LookedFor() {
  const { data } = useFoundModels()
  const when = useDerivedNow(now => (data === undefined ? null : formatRelative(data.checkedAt, now)))
  if (when === null) return 'Looking for models…'
  return <span className="num">Looked for models {when === 'Just now' ? 'just now' : when}</span>
}
