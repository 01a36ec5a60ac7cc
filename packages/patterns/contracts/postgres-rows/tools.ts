/** Tools for a table in Postgres under the contract beside this file: rows that carry the key of their action. */

/** A connection, as the package pg has it. */
interface Client {
  readonly query: (sql: string, values?: ReadonlyArray<unknown>) => Promise<{ readonly rows: ReadonlyArray<Row> }>
  readonly release: (error?: Error) => void
}

/** Settings: a pool of the package pg. */
export interface Options {
  readonly pool: { readonly connect: () => Promise<Client> }
}

interface Row {
  readonly id: string
  readonly item: string
  readonly quantity: number
  readonly action_key: string
}

interface Context {
  readonly key: string | undefined
}

interface Order {
  readonly id: string
  readonly item: string
  readonly quantity: number
}

const shown = (row: Row | undefined) =>
  row && { id: row.id, item: row.item, quantity: row.quantity, key: row.action_key }

/** Makes the tools. */
export const postgresRows = ({ pool }: Options) => {
  const withClient = async <A>(work: (client: Client) => Promise<A>): Promise<A> => {
    const client = await pool.connect()
    try {
      return await work(client)
    } finally {
      client.release()
    }
  }

  const byId = async (client: Client, id: string) =>
    shown((await client.query("select * from orders where id = $1", [id])).rows[0])

  /** Inserts the row in a transaction that stays open. Under a key that is there, nothing is inserted. */
  const open = async ({ id, item, quantity }: Order, { key }: Context) => {
    const client = await pool.connect()
    const end = async (sql: "commit" | "rollback") => {
      try {
        await client.query(sql)
        client.release()
      } catch (cause) {
        client.release(cause as Error)
        throw cause
      }
    }
    try {
      await client.query("begin")
      const sql =
        "insert into orders (id, item, quantity, action_key) values ($1, $2, $3, $4) on conflict (action_key) do nothing"
      await client.query(sql, [id, item, quantity, key])
    } catch (cause) {
      await end("rollback")
      throw cause
    }
    return {
      output: { id },
      read: () => byId(client, id),
      commit: () => end("commit"),
      rollback: () => end("rollback")
    }
  }

  return {
    insert_order: {
      open,
      execute: async (args: Order, context: Context) => {
        const { commit, output } = await open(args, context)
        await commit()
        return output
      },
      readback: (_: Context, { id }: Order) => withClient((client) => byId(client, id))
    },
    delete_order: {
      execute: async ({ id }: { readonly id: string }) => {
        await withClient((client) => client.query("delete from orders where id = $1", [id]))
        return { id }
      },
      status: (_: Context, { id }: { readonly id: string }) =>
        withClient(async (client) => ((await byId(client, id)) === undefined ? { id } : undefined)),
      readback: (_: Context, { id }: { readonly id: string }) =>
        withClient(async (client) => ({ id, gone: (await byId(client, id)) === undefined }))
    }
  }
}
