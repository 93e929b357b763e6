import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, CircleMinus, ListChecks } from 'lucide-react'
import type { ReactNode } from 'react'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { formatClock } from '../../../ui/format.ts'
import { Pill, type Tone } from '../../../ui/pill.tsx'
import { problemOf } from '../../../ui/problem.ts'
import { challengesOf, questionName, shortTitle } from './activation-words.ts'
import classes from './sender.module.css'
import { useActivation } from './use-activation.ts'

/** The words for the states, and their colours. */
export const states = {
  not_needed: { tone: 'mute', label: 'Not needed' },
  waiting: { tone: 'acc', label: 'Waiting' },
  answered: { tone: 'acc', label: 'Answered' },
  verified: { tone: 'ok', label: 'Verified' },
} as const satisfies Record<string, { tone: Tone; label: string }>

/** Says whether the saved sender has asked its question, and leads to the page with the steps. */
export function Activation() {
  const { connectionId, sender } = useCurrentConnection()
  const [challenge] = challengesOf(sender)
  const { data, error } = useActivation(connectionId, challenge !== undefined)
  if (challenge === undefined) return null
  const name = shortTitle(sender)
  const asked = questionName(challenge)
  const state = data?.state
  const isAnswered = state === 'answered' || state === 'verified'
  const isVerified = state === 'verified'
  return (
    <section className={classes.limit} aria-labelledby="activation">
      <div className={classes.between}>
        <h3 id="activation">Switch it on at {name}</h3>
        <span role="status">
          {state !== undefined && <Pill tone={states[state].tone}>{states[state].label}</Pill>}
        </span>
        <Button
          size="xs"
          className="push"
          leftSection={<ListChecks size={12} />}
          renderRoot={props => (
            <Link to="/connections/$connectionId/sender/activation" params={{ connectionId }} {...props} />
          )}
        >
          Open the steps
        </Button>
      </div>
      {error !== null && <p className="sm bad">{problemOf(error).message}</p>}
      {data !== undefined && (
        <ol className={classes.turns}>
          <Turn isDone={isAnswered} isNext={!isAnswered} end={timeWords(data.at, 'waiting…')}>
            {name} {challenge.isOptional ? 'may ask' : 'asks'} once
            {asked !== null && (
              <>
                , with <code>{asked}</code>
              </>
            )}
          </Turn>
          <Turn isDone={isVerified} isNext={isAnswered} end={timeWords(data.verifiedAt, 'not yet')}>
            An event with a right proof
          </Turn>
        </ol>
      )}
    </section>
  )
}

const timeWords = (at: string | null, none: string) => (at === null ? none : formatClock(at, Date.now()))

function Turn(props: {
  readonly isDone: boolean
  readonly isNext: boolean
  readonly end: string
  readonly children: ReactNode
}) {
  const { isDone, isNext, end, children } = props
  const Icon = isDone ? CircleCheck : isNext ? CircleDashed : CircleMinus
  return (
    <li className={`sm ${classes.turn}`}>
      <Icon size={14} className={isDone ? 'ok' : isNext ? 'acc' : 't3'} aria-hidden="true" />
      <span className={isDone || isNext ? '' : 't3'}>{children}</span>
      <span className="push t3 num">{end}</span>
    </li>
  )
}
