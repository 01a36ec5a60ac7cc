/** Emmett on SQLite, with one connection that all calls share. */
import { getSQLiteEventStore, SQLiteConnectionPool, sqliteConnection } from "@event-driven-io/emmett-sqlite"

const text = "the quick brown fox jumps over the lazy dog, and a trace remembers that it did so; ".repeat(9)

const event = (index: number) => ({
  type: "observation.add",
  data: { agent: "agent-1", amount: index % 17, confidence: 0.9, id: `item-${index}`, tags: ["a", "b"], text }
})

/** Opens a new file. Commits are flushed: SQLite's default is FULL, and it is set explicitly here. */
export const open = async (filename: string) => {
  const connection = sqliteConnection({ fileName: filename })
  await connection.command("PRAGMA synchronous = FULL")
  const pool = SQLiteConnectionPool({ fileName: filename, connectionOptions: { singleton: true, connection } })
  const store = getSQLiteEventStore({ fileName: filename, pool })
  await store.appendToStream("warm", [event(0)])
  let written = 0
  return {
    /** Appends; answers milliseconds. */
    append: async (appends: number, size: number): Promise<number> => {
      const began = performance.now()
      for (let index = 0; index < appends; index++) {
        const events = Array.from({ length: size }, () => event(written++))
        await store.appendToStream("stream", events)
      }
      return performance.now() - began
    },
    /** Folds the whole stream; answers milliseconds and the number of events. */
    aggregate: async () => {
      const began = performance.now()
      const { state } = await store.aggregateStream("stream", {
        initialState: () => ({ seen: 0, total: 0, last: "" }),
        evolve: (state, { data }) => ({ seen: state.seen + 1, total: state.total + data.amount, last: data.id })
      })
      return { count: state.seen, millis: performance.now() - began }
    },
    close: () => connection.close()
  }
}
