const line = {
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': '2',
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
}

/** Returns one of lucide's icons, by its path, for elements that React does not render. */
export function svgIcon(path: string): SVGElement {
  const svg = element('svg', {
    ...line,
    width: '14',
    height: '14',
    viewBox: '0 0 24 24',
    'aria-hidden': 'true',
  })
  svg.append(element('path', { d: path }))
  return svg
}

function element(name: 'svg' | 'path', attributes: Readonly<Record<string, string>>): SVGElement {
  const created = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value)
  return created
}
