import { Link } from '@tanstack/react-router'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { Pill, type Tone } from '../../../ui/pill.tsx'
import { problemOf } from '../../../ui/problem.ts'
import { challengesOf, shortTitle } from './activation-words.ts'
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
  const isAsked = challengesOf(sender).length > 0
  const { data, error } = useActivation(connectionId, isAsked)
  if (!isAsked) return null
  const isOptional = challengesOf(sender).every(one => one.isOptional)
  const name = shortTitle(sender)
  return (
    <section className={classes.limit} aria-labelledby="activation">
      <div className={classes.between}>
        <h3 id="activation">Switch it on at {name}</h3>
        <span role="status">
          {data !== undefined && <Pill tone={states[data.state].tone}>{states[data.state].label}</Pill>}
        </span>
      </div>
      {error !== null && <p className="sm bad">{problemOf(error).message}</p>}
      <p className="sm t2">
        {name} {isOptional ? 'may ask' : 'asks'} once whether its events are wanted.{' '}
        <Link className="link" to="/connections/$connectionId/sender/activation" params={{ connectionId }}>
          Show the steps and what arrived
        </Link>
      </p>
    </section>
  )
}
