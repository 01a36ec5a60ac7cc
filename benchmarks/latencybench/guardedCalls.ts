/**
 * Calls a function that takes 10 ms, bare and guarded in turn, and prints the milliseconds of each call.
 *
 * node guardedCalls.ts SDK STORE CALLS
 */
interface Kept {
  readonly key: string
  readonly n: number
}

const [bundle = "", store = "", count = "100"] = process.argv.slice(2)
const { guarded } = (await import(bundle)) as typeof import("@backstitch/sdk")

const kept = new Map<string, Kept>()

const write = async ({ n }: { readonly n: number }, { key }: { readonly key: string }) => {
  await new Promise((go) => setTimeout(go, 10))
  kept.set(key, { key, n })
  return { n }
}

const guardedWrite = guarded(write, {
  contract: { tool: "write", input: { n: "int" }, readback: { expect: ["actual.n == args.n", "actual.key == key"] } },
  store,
  readback: (_, { key }) => kept.get(key)
})

const times: { readonly bare: Array<number>; readonly ours: Array<number> } = { bare: [], ours: [] }
for (let n = 0; n < Number(count) + 10; n++) {
  for (const side of n % 2 === 0 ? (["bare", "ours"] as const) : (["ours", "bare"] as const)) {
    const began = performance.now()
    if (side === "bare") await write({ n }, { key: `bare-${n}` })
    else await guardedWrite({ n })
    // The first calls compile what all others run.
    if (n >= 10) times[side].push(performance.now() - began)
  }
}
await guardedWrite.close()
process.stdout.write(JSON.stringify(times))
