import { z } from 'zod'
import { Moment } from './identifiers.ts'

export const NodeId = z.string().min(1).max(100)
/** Names a node for people. */
export const NodeName = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Cs}]{1,100}$/u, 'Write a name of at most 100 characters, without control characters.')

/** A clock that differs from the database's by more milliseconds should be set. */
export const mostClockDifferenceMs = 2000

const NodeState = z.enum(['ready', 'unready', 'draining', 'silent', 'lost'])
export type NodeState = z.infer<typeof NodeState>

/** One of the services that share a database, or the only one. */
export const ServiceNode = z.object({
  nodeId: NodeId.describe('New at each start.'),
  slot: z.int().describe('Which of the 32 places for nodes it has; part of the ids that it makes.'),
  name: z
    .string()
    .nullable()
    .describe(
      '`--node-name`, by default the name of the computer; null if an older version runs on it. Not unique.',
    ),
  version: z
    .string()
    .nullable()
    .describe('The program’s version; null if an older version does not tell it.'),
  startedAt: Moment.nullable(),
  seenAt: Moment.describe('Its last heartbeat, by the clock of the database.'),
  silentMs: z.int().describe('Milliseconds since then.'),
  state: NodeState.describe(
    '`ready` serves requests. `unready` lives, but does not accept events yet. `draining` finishes what it has begun, and stops. `silent` has not been seen for 4 seconds: it accepts nothing, and its runs go on elsewhere 10 seconds after they were last renewed. `lost` has not been seen for 30 seconds; it is listed for a day, unless a node of its name has started since, or it is forgotten.',
  ),
  configVersion: z
    .int()
    .describe(
      'The version of the configuration that it follows. The others have a newer one if it is behind.',
    ),
  runsUnderWay: z
    .int()
    .nullable()
    .describe('Runs that it carries out; those it had when it was last seen, if it is silent or lost.'),
  heldRuns: z
    .int()
    .describe(
      'Runs that no other node may carry out now. Those of a lost node soon are none: they go on elsewhere.',
    ),
  eventsPerSecond: z.number().nullable().describe('Events that it has accepted in the last seconds.'),
  clockOffsetMs: z
    .int()
    .nullable()
    .describe('By how much its clock is ahead of the database’s; null without a database.'),
  databaseMs: z
    .number()
    .nullable()
    .describe('How long the database took to answer its last heartbeat; null without a database.'),
  disk: z
    .object({ free: z.number(), size: z.number() })
    .nullable()
    .describe('Bytes of the disk with its data folder; null if they are not known.'),
  certificateEndsAt: Moment.nullable().describe(
    'When the certificate of its listener ends; null without one, and if it is not known.',
  ),
  hasSameToken: z
    .boolean()
    .nullable()
    .describe(
      'Whether it has the admin token of the node that has answered: they refuse each other’s tokens and sessions otherwise. Null if an older version does not tell it.',
    ),
  isThis: z.boolean().describe('Whether this node has answered.'),
})
export type ServiceNode = z.infer<typeof ServiceNode>

/** Whether a node is heard of. */
export const isSeen = ({ state }: Pick<ServiceNode, 'state'>) => state !== 'lost' && state !== 'silent'

export const NodeList = z.array(ServiceNode).describe('By name, then by their start.')
export type NodeList = z.infer<typeof NodeList>
