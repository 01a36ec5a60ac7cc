/** The process that `Child` starts: loads its modules, measures one task on a file, and answers one line of JSON. */
const [task, filename = ""] = process.argv.slice(2)

const answer = (value: object): void => void process.stdout.write(JSON.stringify(value))

const resume = async (): Promise<void> => {
  const Effect = await import("effect/Effect")
  const SqlTraceStore = await import("@backstitch/sql/SqlTraceStore")
  const Steps = await import("../throughputbench/Steps.ts")
  const began = performance.now()
  const millis = await Effect.gen(function* () {
    const handle = yield* Steps.open("thread")
    yield* handle.resume
    yield* Steps.take(handle, "write", { count: 1, from: 1_000_000 })
    return performance.now() - began
  }).pipe(Effect.scoped, Effect.provide(Steps.layer(SqlTraceStore.layerSqlite({ filename }))), Effect.runPromise)
  answer({ millis })
}

const resumeLanggraph = async (): Promise<void> => {
  const { resume } = await import(new URL("../peers/src/langgraph.ts", import.meta.url).href)
  const began = performance.now()
  await resume(filename)
  answer({ millis: performance.now() - began })
}

const bisect = async (): Promise<void> => {
  const { measure } = await import("./Bisect.ts")
  answer(await measure(filename))
}

if (task === "resume") await resume()
else if (task === "resume-langgraph") await resumeLanggraph()
else await bisect()
