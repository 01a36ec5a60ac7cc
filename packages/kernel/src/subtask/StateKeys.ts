/** Data keys of the fields of a state: each row of a table has its own key, and any other field has one key. */
import * as DataKey from "@backstitch/contracts/DataKey"
import type * as Machine from "@backstitch/contracts/Machine"
import type { Section, State } from "@backstitch/reducer/State"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Table from "@backstitch/trace/Table"

/** Tells whether a key names a field of the state. */
export const isField = (name: string): boolean => /^(?:world|working)\./.test(name)

/** Lists the keys that changed, without the field that holds the state of the agent. */
export const changed = (
  before: State,
  after: State,
  { field }: Pick<Machine.Machine, "field">
): ReadonlyArray<string> => [
  ...sectionKeys("world", before.world, after.world),
  ...sectionKeys("working", before.working, after.working).filter((key) => key !== `working.${field}`)
]

const sectionKeys = (section: "working" | "world", before: Section, after: Section): ReadonlyArray<string> => {
  if (before === after) return []
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [was, is] = [before[name], after[name]]
    if (was === is) return []
    const key = `${section}.${name}`
    if (!Table.is(was) || !Table.is(is)) return [key]
    return [...Table.changes(was, is)].map((change) => DataKey.partOf(key, change.key))
  })
}

/** The field of `working` that a key names, with the row; `undefined` for any other key. */
export const placeOf = (key: string): { readonly name: string; readonly row?: string } | undefined => {
  const whole = DataKey.wholeOf(key) ?? key
  if (!whole.startsWith("working.")) return undefined
  const name = whole.slice("working.".length)
  return whole === key ? { name } : { name, row: String(JsonText.read(key.slice(whole.length + 1, -1))) }
}
