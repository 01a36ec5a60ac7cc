/**
 * Layers that keep notes in the same place as traces.
 *
 * Both pass the suite of `@backstitch/conformance`, like the memory layer.
 */
import { layerMemory, type Note, type NoteName, Notes } from "@backstitch/trace/Notes"
import * as Effect from "effect/Effect"
import type { Dialect, Query } from "./queries/Queries.ts"
import { at, type Statements } from "./queries/Statements.ts"
import * as StoreLayers from "./StoreLayers.ts"

/** Keeps notes with the statements of a database. Each is one round trip. */
const over = (statements: Statements): Notes["Service"] => {
  const queries = queriesOf(statements.dialect)
  const first = (query: Query<Note>, values: ReadonlyArray<unknown>) =>
    Effect.map(statements.all(query, values), ([note]) => note)
  const at = ({ kind, name, tenant }: NoteName) => [kind, tenant, name]
  const find = (place: NoteName) => first(queries.find, at(place))
  return Notes.of({
    put: Effect.fnUntraced(function* (given) {
      const { expected, text } = given
      const write = expected === undefined ? queries.put : expected === 0 ? queries.add : queries.change
      const note = yield* first(write, [...at(given), text, ...(write === queries.change ? [expected] : [])])
      return note === undefined ? { _tag: "Changed", standing: yield* find(given) } : { _tag: "Kept", note }
    }),
    remove: Effect.fnUntraced(function* ({ expected, ...place }) {
      const removed = yield* expected === undefined
        ? first(queries.remove, at(place))
        : first(queries.removeOne, [...at(place), expected])
      return removed !== undefined || (yield* find(place)) === undefined
    }),
    find,
    list: ({ after, kind, limit = queries.endless, tenant }) => {
      const page = [kind, after?.tenant ?? "", after?.name ?? "", limit]
      return tenant === undefined
        ? statements.all(queries.all, page)
        : statements.all(queries.ofTenant, [...page, tenant])
    }
  })
}

const layers = StoreLayers.make(Notes, layerMemory, StoreLayers.overStatements("notes", over))

/** Keeps notes in one SQLite file. */
export const layerSqlite = layers.sqlite

/** Keeps notes in a schema of a Postgres database. The driver is loaded when the layer is built. */
export const layerPostgres = layers.postgres

/** Chooses a layer by an address, as `StorePlace` reads it. */
export const layerFromAddress = layers.fromAddress

const columns = "tenant, kind, name, text, revision"

const queriesOf = (dialect: Dialect) => {
  const value = (place: number): string => at(dialect, place)
  const query = (name: string, sql: string): Query<Note> => ({ name: `note-${name}`, sql })
  const here = `kind = ${value(1)} and tenant = ${value(2)} and name = ${value(3)}`
  const inserting = `insert into note (${columns}) values (${value(2)}, ${value(1)}, ${value(3)}, ${value(4)}, 1)`
  const conflict = `${inserting} on conflict (kind, tenant, name)`
  const after = `kind = ${value(1)} and (tenant, name) > (${value(2)}, ${value(3)})`
  const ordered = `order by tenant, name limit ${value(4)}`
  return {
    put: query(
      "put",
      `${conflict} do update set text = excluded.text, revision = note.revision + 1 returning ${columns}`
    ),
    add: query("add", `${conflict} do nothing returning ${columns}`),
    change: query(
      "change",
      `update note set text = ${value(4)}, revision = revision + 1 ` +
        `where ${here} and revision = ${value(5)} returning ${columns}`
    ),
    remove: query("remove", `delete from note where ${here} returning ${columns}`),
    removeOne: query("remove-one", `delete from note where ${here} and revision = ${value(4)} returning ${columns}`),
    find: query("find", `select ${columns} from note where ${here}`),
    all: query("all", `select ${columns} from note where ${after} ${ordered}`),
    ofTenant: query("of-tenant", `select ${columns} from note where ${after} and tenant = ${value(5)} ${ordered}`),
    // Each dialect has a limit of its own for all rows.
    endless: dialect === "sqlite" ? -1 : null
  }
}
