/** The statements of notes. Each is one round trip. */
import type { NewNote, Note, NoteName, Page } from "@backstitch/trace/Notes"
import type { Tenant } from "@backstitch/trace/Run"
import type { Dialect, Query } from "./Queries.ts"

/** A note as a row. */
export interface NoteRow {
  readonly tenant: string
  readonly kind: string
  readonly name: string
  readonly text: string
  readonly revision: number
}

/** A statement with the values of its parameters. */
export interface Bound {
  readonly query: Query<NoteRow>
  readonly values: ReadonlyArray<string | number | null>
}

/** The statements of a dialect. */
export interface NoteQueries {
  /** Keeps a note; no row where another revision stands. */
  readonly put: (given: NewNote) => Bound
  /** Removes a note; no row where another revision stands, or none. */
  readonly remove: (place: NoteName & Pick<NewNote, "expected">) => Bound
  readonly find: (place: NoteName) => Bound
  readonly list: (page: Page) => Bound
}

const columns = "tenant, kind, name, text, revision"

/** Writes the statements of a dialect. */
export const make = (dialect: Dialect): NoteQueries => {
  const at = (place: number): string => (dialect === "sqlite" ? `?${place}` : `$${place}`)
  const query = (name: string, sql: string): Query<NoteRow> => ({ name: `note-${name}`, sql })
  const here = `kind = ${at(1)} and tenant = ${at(2)} and name = ${at(3)}`
  const inserting = `insert into note (${columns}) values (${at(2)}, ${at(1)}, ${at(3)}, ${at(4)}, 1)`
  const after = `kind = ${at(1)} and (tenant, name) > (${at(2)}, ${at(3)})`
  const ordered = `order by tenant, name limit ${at(4)}`
  const put = query(
    "put",
    `${inserting} on conflict (kind, tenant, name) ` +
      `do update set text = excluded.text, revision = note.revision + 1 returning ${columns}`
  )
  const add = query("add", `${inserting} on conflict (kind, tenant, name) do nothing returning ${columns}`)
  const change = query(
    "change",
    `update note set text = ${at(4)}, revision = revision + 1 where ${here} and revision = ${at(5)} returning ${columns}`
  )
  const remove = query("remove", `delete from note where ${here} returning ${columns}`)
  const removeOne = query("remove-one", `delete from note where ${here} and revision = ${at(4)} returning ${columns}`)
  const find = query("find", `select ${columns} from note where ${here}`)
  const all = query("all", `select ${columns} from note where ${after} ${ordered}`)
  const ofTenant = query("of-tenant", `select ${columns} from note where ${after} and tenant = ${at(5)} ${ordered}`)
  // Each dialect has a limit of its own for all rows.
  const endless = dialect === "sqlite" ? -1 : null
  const values = ({ kind, name, tenant }: NoteName) => [kind, tenant, name]
  return {
    put: (given) => {
      const { expected, text } = given
      if (expected === undefined || expected === 0) {
        return { query: expected === 0 ? add : put, values: [...values(given), text] }
      }
      return { query: change, values: [...values(given), text, expected] }
    },
    remove: ({ expected, ...place }) =>
      expected === undefined
        ? { query: remove, values: values(place) }
        : { query: removeOne, values: [...values(place), expected] },
    find: (place) => ({ query: find, values: values(place) }),
    list: ({ after: last, kind, limit, tenant }) => {
      const page = [kind, last?.tenant ?? "", last?.name ?? "", limit ?? endless]
      return tenant === undefined ? { query: all, values: page } : { query: ofTenant, values: [...page, tenant] }
    }
  }
}

/** Reads a note from its row. */
export const toNote = ({ tenant, ...rest }: NoteRow): Note => ({ tenant: tenant as Tenant, ...rest })
