import { type AlertKind, alertKinds } from '#shared/model/alert.ts'
import { backupOld } from './kinds/backup-old.ts'
import { callsFailing } from './kinds/calls-failing.ts'
import { certificateEnds } from './kinds/certificate-ends.ts'
import { clock } from './kinds/clock.ts'
import { diskLow } from './kinds/disk-low.ts'
import { nodeLost } from './kinds/node-lost.ts'
import { payload } from './kinds/payload.ts'
import { refused } from './kinds/refused.ts'
import { runsFailing } from './kinds/runs-failing.ts'
import { runsStuck } from './kinds/runs-stuck.ts'
import { secretGrace } from './kinds/secret-grace.ts'
import { silent } from './kinds/silent.ts'
import type { Rule } from './rule.ts'

/** Every kind of alert, by what it is about. A step evaluates all of them. */
export const rules = {
  connections: { silent, refused, calls_failing: callsFailing, clock, secret_grace: secretGrace },
  payloads: { payload },
  workflows: { runs_failing: runsFailing, runs_stuck: runsStuck },
  nodes: { disk_low: diskLow, certificate_ends: certificateEnds, node_lost: nodeLost },
  service: { backup_old: backupOld },
} as const

/** Every kind, so that a missing one does not compile. */
export const allRules = {
  ...rules.connections,
  ...rules.payloads,
  ...rules.workflows,
  ...rules.nodes,
  ...rules.service,
} satisfies Readonly<Record<AlertKind, Rule<never>>>

/** The same as lists, with the kind of each rule, in the order in which a step evaluates them. */
export const listedRules = {
  connections: listed(rules.connections),
  payloads: listed(rules.payloads),
  workflows: listed(rules.workflows),
  nodes: listed(rules.nodes),
  service: listed(rules.service),
}

function listed<Numbers>(of: Readonly<Partial<Record<AlertKind, Rule<Numbers>>>>) {
  return alertKinds.flatMap(kind => {
    const rule = of[kind]
    return rule === undefined ? [] : [{ kind, rule }]
  })
}
