/** Shows the page in the light scheme while it is printed. */
export function printLight(): void {
  const { dataset } = document.documentElement
  let before: string | undefined
  window.matchMedia('print').addEventListener('change', ({ matches }) => {
    if (matches) before = dataset.mantineColorScheme
    const scheme = matches ? 'light' : before
    if (scheme !== undefined) dataset.mantineColorScheme = scheme
  })
}
