/** The truth: the effects that the world's own database holds. */

/**
 * The tools of the agent that change the world, each with the table of its effects and the place of the agent's
 * belief.
 */
export const mutations = {
  book_flight: { table: "bookings", id: "pnr" },
  book_hotel: { table: "stays", id: "stay" },
  charge_card: { table: "charges", id: "charge" },
  send_confirmation: { table: "messages", id: "message" }
} as const

/** A tool of the agent that changes the world. */
export type Mutation = keyof typeof mutations

/** Those tools, in the order in which the agent uses them. */
export const tools = Object.keys(mutations) as ReadonlyArray<Mutation>

/** A row of the world's database. */
export type Row = Readonly<Record<string, string | number | null>>

/** Reads the tables of the world that the tools change, and its log of requests. */
export const read = async (world: string): Promise<Readonly<Record<string, ReadonlyArray<Row>>>> => {
  const response = await fetch(`${world}/audit?tables=bookings,stays,charges,messages,requests`)
  const { rows } = (await response.json()) as { readonly rows: Readonly<Record<string, ReadonlyArray<Row>>> }
  return rows
}

/** Tells the world to have a fault. */
export const arm = async (
  world: string,
  fault: {
    readonly tool: string
    readonly kind: string
    readonly times?: number
    readonly delayMillis?: number
    readonly tenant?: string
  }
): Promise<void> => {
  const response = await fetch(`${world}/faults`, { method: "POST", body: JSON.stringify(fault) })
  if (!response.ok) throw new Error(`The world takes no such fault: ${await response.text()}`)
}
