/** Calendar days written as `YYYY-MM-DD`, without times or zones. */

const dayMillis = 86_400_000

/** Tells whether a text names a day that exists. */
export const isCalendarDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const millis = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(text)
}

/** The day that is the given number of days later. */
export const plusDays = (date: string, days: number): string =>
  days === 0 ? date : new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMillis).toISOString().slice(0, 10)
