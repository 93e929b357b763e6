import type { DatabaseSync } from 'node:sqlite'
import type { NewRunRow } from '../../rows/run-rows.ts'
import { state } from '../../rows/run-rows.ts'
import { fromStored, integer, toStored, toStoredOrNull } from '../../rows/stored-text.ts'
import {
  countBelow,
  endOf,
  entriesOf,
  type List,
  Member,
  positionAfter,
  recordAt,
  trim,
} from './fan-out-list.ts'
import type { Lanes } from './lanes.ts'

/** Empty lists are deleted once there are so many lists. */
const mostLists = 64
/** Records that one step of `forget` looks at. */
const stepRecords = 256

/** A run that was claimed and is not stored. Its lane counts it as running. */
export type Held = {
  readonly id: number
  readonly member: Member
  readonly record: number
  readonly startedAt: number
  readonly leaseEndsAt: number
}

/** The columns of a record that its runs share. */
export type FanOutRow = Readonly<Record<string, unknown>>

/**
 * The events that start many workflows. Each is one record with a list of the workflows, whatever their number. Run `i` of
 * a record has the record's id plus `i`. A run is pending until it is stored, which happens once it was claimed: each
 * list stores the last record whose run is stored of each workflow, and `early_runs` has stored runs of later ones.
 */
export class FanOuts {
  readonly #lanes: Lanes
  readonly #statements
  readonly #lists = new Map<string, List>()
  readonly #byId = new Map<number, List>()
  readonly #held = new Map<number, Held>()
  /** Undoes the changes of the current transaction in memory, the last first. */
  readonly #undo: (() => void)[] = []
  /** The changes of the transaction: lists whose members passed records, and ids to add to `early_runs` or remove. */
  readonly #changed = new Set<List>()
  readonly #earlyIds = new Map<number, boolean>()
  /** Rows that were read in this transaction. */
  readonly #rows = new Map<number, FanOutRow>()
  /** The number of records. */
  count = 0

  constructor(database: DatabaseSync, lanes: Lanes) {
    this.#lanes = lanes
    this.#statements = prepare(database)
    for (const row of database.prepare('SELECT id, workflows, passed FROM workflow_lists').iterate())
      this.#load(integer(row.id), fromStored(row.workflows), fromStored(row.passed))
    for (const row of database.prepare('SELECT id FROM early_runs').iterate()) {
      const found = this.#find(integer(row.id))
      if (found !== null && found.at >= found.member.passed) this.#addEarly(found.member, found.record)
    }
    for (const { members } of this.#byId.values()) for (const member of members) this.#advance(member)
    this.committed()
  }

  #load(id: number, key: string, passedText: string): void {
    const workflows = entriesOf(key) ?? []
    const passed = entriesOf(passedText) ?? []
    if (workflows.length === 0 || workflows.length !== passed.length) return
    const list = this.#create(id, key, workflows.map(String))
    for (const row of this.#statements.records.iterate(id)) list.records.push(integer(row.id))
    this.count += list.records.length
    for (const member of list.members) {
      member.passed = positionAfter(list, Number(passed[member.index]))
      member.next = member.passed
    }
  }

  #create(id: number, key: string, workflows: readonly string[]): List {
    const members: Member[] = []
    const list: List = { id, members, records: [], offset: 0, first: 0 }
    for (const [index, lane] of workflows.entries()) members.push(new Member(list, index, lane))
    for (const member of members) this.#lanes.add(member)
    this.#lists.set(key, list)
    this.#byId.set(id, list)
    this.#undo.push(() => this.#remove(key, list))
    return list
  }

  #remove(key: string, list: List): void {
    for (const member of list.members) this.#lanes.remove(member)
    this.#lists.delete(key)
    this.#byId.delete(list.id)
  }

  insert(run: NewRunRow): void {
    const { id, event, workspaceId, connectionId, queuedAt, summary, data } = run
    const list = this.#lists.get(run.workflowId) ?? this.#createStored(run.workflowId)
    this.#statements.insert.run(
      ...[id, list.id, event, workspaceId, connectionId, queuedAt],
      ...[toStored(summary), toStoredOrNull(data)],
    )
    list.records.push(id)
    this.count++
    this.#undo.push(() => {
      list.records.pop()
      this.count--
    })
  }

  #createStored(key: string): List {
    if (this.#lists.size >= mostLists) this.#deleteEmptyLists()
    const workflows = (entriesOf(key) ?? []).map(String)
    const passed = JSON.stringify(workflows.map(() => 0))
    const id = Number(this.#statements.insertList.run(key, passed).lastInsertRowid)
    return this.#create(id, key, workflows)
  }

  /** Deletes what a repair or an earlier process has left. */
  recover(): void {
    this.#deleteEmptyLists()
    this.#statements.deleteEarly.run()
  }

  /** Deletes the lists without records. Should that be rolled back, the next start deletes them. */
  #deleteEmptyLists(): void {
    for (const [key, list] of this.#lists)
      if (list.first === endOf(list)) {
        this.#remove(key, list)
        this.#statements.deleteList.run(list.id)
      }
  }

  /** Returns the member of a lane whose next pending run is the oldest, with the id of the run; null if there is none. */
  peek(members: ReadonlySet<Member>): { readonly id: number; readonly member: Member } | null {
    let oldest: { readonly id: number; readonly member: Member } | null = null
    for (const member of members) {
      const { list, early, index } = member
      while (member.next < endOf(list) && early.has(recordAt(list, member.next))) this.#skip(member)
      if (member.next === endOf(list)) continue
      const id = recordAt(list, member.next) + index
      if (oldest === null || id < oldest.id) oldest = { id, member }
    }
    return oldest
  }

  /** Passes over a run that is stored already. */
  #skip(member: Member): void {
    member.next++
    member.earlyPending--
    this.#undo.push(() => {
      member.next--
      member.earlyPending++
    })
  }

  /** Claims the run that `peek` has returned. */
  hold(member: Member, startedAt: number, leaseEndsAt: number): Held {
    const record = recordAt(member.list, member.next)
    const held = { id: record + member.index, member, record, startedAt, leaseEndsAt }
    member.next++
    this.#held.set(held.id, held)
    this.#lanes.move(member.lane, null, state.running)
    this.#undo.push(() => {
      member.next--
      this.#held.delete(held.id)
    })
    return held
  }

  held(id: number): Held | undefined {
    return this.#held.get(id)
  }

  /** Returns the claimed runs whose lease has ended. */
  *expired(now: number): Generator<Held> {
    for (const held of this.#held.values()) if (held.leaseEndsAt <= now) yield held
  }

  /** Returns the columns of a record. */
  row(record: number): FanOutRow {
    const known = this.#rows.get(record)
    if (known !== undefined) return known
    const row = this.#statements.one.get(record) ?? {}
    this.#rows.set(record, row)
    return row
  }

  /** Returns the member and the record of a pending run; null for any other run. */
  pending(id: number): { readonly member: Member; readonly record: number } | null {
    const found = this.#find(id)
    if (found === null || found.at < found.member.next || found.member.early.has(found.record)) return null
    return found
  }

  #find(id: number): { readonly member: Member; readonly record: number; readonly at: number } | null {
    const row = this.#statements.find.get(id)
    if (row === undefined) return null
    const [record, list] = [integer(row.id), this.#byId.get(integer(row.list))]
    const member = list?.members[id - record]
    if (list === undefined || member === undefined) return null
    return { member, record, at: positionAfter(list, record) - 1 }
  }

  /** Call it when the run of a member and a record was stored: it is neither pending nor claimed any more. */
  stored(member: Member, record: number): void {
    const id = record + member.index
    const held = this.#held.get(id)
    if (held !== undefined) {
      this.#held.delete(id)
      this.#undo.push(() => this.#held.set(id, held))
    }
    this.#addEarly(member, record)
    this.#advance(member)
  }

  #addEarly(member: Member, record: number): void {
    const by = positionAfter(member.list, record) > member.next ? 1 : 0
    member.early.add(record)
    member.earlyPending += by
    this.#markEarly(record + member.index, true)
    this.#undo.push(() => {
      member.early.delete(record)
      member.earlyPending -= by
    })
  }

  /** Moves `passed` behind the runs that are stored without a gap. */
  #advance(member: Member): void {
    const { list, early } = member
    const before = member.passed
    this.#undo.push(() => (member.passed = before))
    for (; member.passed < endOf(list); member.passed++) {
      const record = recordAt(list, member.passed)
      if (!early.delete(record)) break
      if (member.passed === member.next) {
        member.next++
        member.earlyPending--
        this.#undo.push(() => {
          member.next--
          member.earlyPending++
        })
      }
      this.#markEarly(record + member.index, false)
      this.#undo.push(() => early.add(record))
    }
    if (member.passed !== before) this.#changed.add(list)
  }

  #markEarly(id: number, isEarly: boolean): void {
    if (this.#earlyIds.get(id) === !isEarly) this.#earlyIds.delete(id)
    else this.#earlyIds.set(id, isEarly)
  }

  /** Deletes the records of a connection among the next after an id, like `forget` of the runs. */
  forget(connectionId: string, after: number): number | null {
    const last = this.#statements.lastOfNext.get(after, stepRecords)?.id ?? null
    if (last === null) return null
    const found = this.#statements.ofConnection.all(after, integer(last), connectionId)
    for (const [id, rows] of Map.groupBy(found, ({ list }) => integer(list))) {
      const gone = new Set(rows.map(row => integer(row.id)))
      for (const record of gone) this.#statements.delete.run(record)
      const list = this.#byId.get(id)
      if (list !== undefined) this.#forgetIn(list, gone)
    }
    return integer(last)
  }

  #forgetIn(list: List, gone: ReadonlySet<number>): void {
    for (const held of this.#held.values()) {
      if (held.member.list !== list || !gone.has(held.record)) continue
      this.#held.delete(held.id)
      this.#lanes.move(held.member.lane, state.running, null)
      this.#undo.push(() => this.#held.set(held.id, held))
    }
    const { records, first, offset } = list
    const positions = Array.from(gone, record => positionAfter(list, record) - 1)
    const [from, to] = [(positions[0] ?? offset) - offset, (positions.at(-1) ?? offset) - offset + 1]
    const moved = (position: number) => position - countBelow(positions, position)
    for (const member of list.members) {
      const { passed, next } = member
      for (const record of member.early) {
        if (!gone.has(record)) continue
        const by = positionAfter(list, record) > next ? 1 : 0
        member.early.delete(record)
        member.earlyPending -= by
        this.#markEarly(record + member.index, false)
        this.#undo.push(() => {
          member.early.add(record)
          member.earlyPending += by
        })
      }
      member.passed = moved(passed)
      member.next = moved(next)
      this.#undo.push(() => Object.assign(member, { passed, next }))
    }
    const kept = records.slice(from, to).filter(record => !gone.has(record))
    list.records = records.slice(0, from).concat(kept, records.slice(to))
    list.first = moved(first)
    this.count -= positions.length
    this.#undo.push(() => {
      Object.assign(list, { records, first })
      this.count += positions.length
    })
    for (const member of list.members) this.#advance(member)
  }

  /** Writes what the transaction has changed; call it before the commit. */
  flush(): void {
    for (const [id, isEarly] of this.#earlyIds) this.#statements[isEarly ? 'addEarly' : 'removeEarly'].run(id)
    for (const list of this.#changed) {
      const { members, offset, first } = list
      const lastOf = ({ passed }: Member) => (passed > offset ? recordAt(list, passed - 1) : 0)
      this.#statements.pass.run(JSON.stringify(members.map(lastOf)), list.id)
      const least = members.reduce((min, { passed }) => Math.min(min, passed), endOf(list))
      if (least === first) continue
      this.#statements.deleteUpTo.run(list.id, recordAt(list, least - 1))
      list.first = least
      this.count -= least - first
      this.#undo.push(() => {
        list.first = first
        this.count += least - first
      })
    }
  }

  committed(): void {
    for (const list of this.#changed) trim(list)
    this.#clear()
  }

  rolledBack(): void {
    for (const undo of this.#undo.reverse()) undo()
    this.#clear()
  }

  #clear(): void {
    this.#undo.length = 0
    this.#changed.clear()
    this.#earlyIds.clear()
    this.#rows.clear()
  }

  /** Returns the largest id of a pending run; 0 without any. */
  newest(): number {
    return integer(this.#statements.newest.get()?.id)
  }
}

function prepare(database: DatabaseSync) {
  return {
    records: database.prepare('SELECT id FROM fan_outs WHERE list = ? ORDER BY id'),
    insert: database.prepare('INSERT INTO fan_outs VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
    insertList: database.prepare('INSERT INTO workflow_lists (workflows, passed) VALUES (?, ?)'),
    deleteList: database.prepare('DELETE FROM workflow_lists WHERE id = ?'),
    pass: database.prepare('UPDATE workflow_lists SET passed = ? WHERE id = ?'),
    one: database.prepare('SELECT * FROM fan_outs WHERE id = ?'),
    find: database.prepare('SELECT id, list FROM fan_outs WHERE id <= ? ORDER BY id DESC LIMIT 1'),
    delete: database.prepare('DELETE FROM fan_outs WHERE id = ?'),
    deleteUpTo: database.prepare('DELETE FROM fan_outs WHERE list = ? AND id <= ?'),
    addEarly: database.prepare('INSERT OR IGNORE INTO early_runs VALUES (?)'),
    removeEarly: database.prepare('DELETE FROM early_runs WHERE id = ?'),
    deleteEarly: database.prepare(
      'DELETE FROM early_runs WHERE id < (SELECT coalesce(min(id), 9e15) FROM fan_outs)',
    ),
    lastOfNext: database.prepare(
      'SELECT max(id) AS id FROM (SELECT id FROM fan_outs WHERE id > ? ORDER BY id LIMIT ?)',
    ),
    ofConnection: database.prepare(
      'SELECT id, list FROM fan_outs WHERE id > ? AND id <= ? AND connection = ? ORDER BY id',
    ),
    newest: database.prepare(`
      SELECT coalesce(max(fan_outs.id + json_array_length(workflows)), 0) AS id
      FROM (SELECT id, list FROM fan_outs ORDER BY id DESC LIMIT 1) AS fan_outs
      JOIN workflow_lists ON workflow_lists.id = list`),
  }
}
