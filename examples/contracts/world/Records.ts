/** Records of the providers, in a database of the world's own, and the faults that a test has asked for. */
import type { DatabaseSync } from "node:sqlite"

/** A record with its id. */
export interface Entry<A> {
  readonly id: string
  readonly body: A
}

/** The records of one kind, in the order of their entry. */
export interface Records<A> {
  readonly all: () => ReadonlyArray<Entry<A>>
  readonly get: (id: string) => A | undefined
  readonly put: (id: string, body: A) => void
  readonly remove: (id: string) => void
}

/** Makes the table. */
export const migrate = (database: DatabaseSync): void =>
  database.exec("create table record (at integer primary key, kind text, id text, body text, unique (kind, id))")

/** The records of a kind. */
export const make = <A>(database: DatabaseSync, kind: string): Records<A> => {
  const all = database.prepare("select id, body from record where kind = ? order by at")
  const get = database.prepare("select body from record where kind = ? and id = ?")
  const put = database.prepare(
    "insert into record (kind, id, body) values (?, ?, ?) on conflict (kind, id) do update set body = excluded.body"
  )
  const remove = database.prepare("delete from record where kind = ? and id = ?")
  return {
    all: () => all.all(kind).map((row) => ({ id: String(row["id"]), body: JSON.parse(String(row["body"])) as A })),
    get: (id) => {
      const row = get.get(kind, id)
      return row === undefined ? undefined : (JSON.parse(String(row["body"])) as A)
    },
    put: (id, body) => void put.run(kind, id, JSON.stringify(body)),
    remove: (id) => void remove.run(kind, id)
  }
}
