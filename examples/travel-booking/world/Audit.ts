/** The true state of the world, for tests: the content of its database. */
import type { Database, Query } from "./Database.ts"
import { malformed } from "./DomainError.ts"

/** Tables, and the order of their rows. */
const tables = {
  flights: "flight",
  hotels: "hotel",
  nights: "hotel, date",
  cards: "card",
  bookings: "number",
  stays: "number",
  charges: "number",
  refunds: "number",
  messages: "number",
  keys: "createdAt, tenant, key",
  requests: "number"
} as const

type Table = keyof typeof tables

const isTable = (name: string): name is Table => Object.hasOwn(tables, name)

/** Tables whose rows belong to a tenant. */
const tenanted: ReadonlySet<string> = new Set<Table>([
  "bookings",
  "stays",
  "charges",
  "refunds",
  "messages",
  "keys",
  "requests"
])

/** Reads all tables. */
export class Audit {
  readonly #count: ReadonlyMap<Table, Query<{ count: number }>>
  readonly #rows: ReadonlyMap<Table, Query<Record<string, string | number | null>>>

  constructor(database: Database) {
    const names = Object.keys(tables).filter(isTable)
    const whose = (table: Table) =>
      tenanted.has(table) ? "WHERE ?1 IS NULL OR tenant = ?1" : "WHERE ?1 IS NULL OR TRUE"
    this.#count = new Map(
      names.map((table) => [table, database.query(`SELECT COUNT(*) AS count FROM ${table} ${whose(table)}`)])
    )
    this.#rows = new Map(
      names.map((table) => [table, database.query(`SELECT * FROM ${table} ${whose(table)} ORDER BY ${tables[table]}`)])
    )
  }

  /** Counts of all tables, and the rows of those that `tables=` names (all by default; none if it is empty). */
  read(query: URLSearchParams) {
    const named = query.get("tables")
    const wanted = named === null ? Object.keys(tables) : named.split(",").filter((name) => name !== "")
    const unknown = wanted.find((name) => !isTable(name))
    if (unknown !== undefined) {
      throw malformed(`No table ${unknown}; the tables are: ${Object.keys(tables).join(", ")}`)
    }
    const tenant = query.get("tenant")
    return {
      counts: Object.fromEntries([...this.#count].map(([table, count]) => [table, count.one(tenant)?.count ?? 0])),
      rows: Object.fromEntries(wanted.filter(isTable).map((table) => [table, this.#rows.get(table)?.all(tenant) ?? []]))
    }
  }
}
