/** The pages of Agent in their order. The sidebar, the palette and the keys [ and ] follow this list. */
export const agentPages = [
  { path: '/agent/widget', title: 'Widget', also: 'chat bubble colours contrast corner logo' },
  { path: '/agent/voice', title: 'Voice', also: 'call phone silence interruption response rate accent' },
  { path: '/agent/crawler', title: 'Crawler', also: 'website pages patterns sitemap URLs' },
  { path: '/agent/calendar', title: 'Calendar', also: 'working hours appointments slots booking' },
  { path: '/agent/languages', title: 'Languages', also: 'translations texts greeting primary secondary' },
  {
    path: '/agent/actions',
    title: 'Actions',
    also: 'keywords forms text responses variables SMS STOP HELP MENU',
  },
  { path: '/agent/knowledge', title: 'Knowledge', also: 'files PDF DOCX TXT CSV documents upload' },
] as const

export type AgentPagePath = (typeof agentPages)[number]['path']
