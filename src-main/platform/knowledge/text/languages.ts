import type { KnowledgeEncoding } from '#shared/model/platform/knowledge.ts'

/** The letters of a language beyond ASCII, the most frequent first, and the encodings that it is written in. */
export type Language = {
  readonly letters: string
  readonly encodings: readonly KnowledgeEncoding[]
  /** How much rarer it is than the others, as a natural logarithm. */
  readonly rarity?: number
}

const unicode = ['utf-8', 'utf-16le', 'utf-16be'] as const
const western = [...unicode, 'windows-1252', 'iso-8859-15', 'macintosh', 'ibm850', 'ibm437'] as const
const central = [...unicode, 'windows-1250', 'iso-8859-2', 'ibm852', 'x-mac-ce'] as const
const cyrillic = [
  ...unicode,
  'windows-1251',
  'koi8-r',
  'koi8-u',
  'iso-8859-5',
  'ibm866',
  'ibm855',
  'x-mac-cyrillic',
] as const
const baltic = [...unicode, 'windows-1257', 'iso-8859-13', 'iso-8859-4', 'ibm775'] as const

/**
 * The frequencies follow from the order alone. More exact ones would not help: the readings of a text in two encodings
 * differ in letters that one of the languages does not have at all.
 */
export const languages: readonly Language[] = [
  // German, French, Spanish, Portuguese, Italian, Dutch, Swedish and Finnish, Danish and Norwegian, Icelandic, Catalan.
  { letters: 'üäößéàèç', encodings: [...western, 'windows-1250', 'iso-8859-2', 'ibm852', 'windows-1254'] },
  { letters: 'éàèêçôîùûâëïœüÿ', encodings: western },
  { letters: 'óíáéñúü', encodings: western },
  { letters: 'ãçáéóíêõâúàôü', encodings: western },
  { letters: 'àèùìòéî', encodings: western },
  { letters: 'ëéïèöüóê', encodings: western },
  { letters: 'äåöéüà', encodings: western },
  { letters: 'åøæéäöüò', encodings: western },
  { letters: 'áíðéóþöúæý', encodings: western, rarity: 4 },
  { letters: 'àéóèíçòúïü·', encodings: western },
  // Polish, Czech, Slovak, Hungarian, Romanian (both ways), Croatian and Slovene, Albanian.
  { letters: 'łęąóżśćńź', encodings: [...central, 'windows-1257', 'iso-8859-13'] },
  { letters: 'íáéěřčžýšůúňóťď', encodings: central },
  { letters: 'áíéýčžúšľťôňäďóŕĺ', encodings: central },
  { letters: 'áéöőóíüúű', encodings: central },
  { letters: 'ăîşţâ', encodings: central },
  { letters: 'ăîșțâ', encodings: unicode },
  { letters: 'čšžćđ', encodings: central },
  { letters: 'ëç', encodings: [...central, ...western], rarity: 2 },
  // Turkish.
  { letters: 'ıüşçğöİâîû', encodings: [...unicode, 'windows-1254', 'ibm857'] },
  // Lithuanian, Latvian, Estonian.
  { letters: 'ėšųįžąčūę', encodings: baltic },
  { letters: 'āīēšūņļžčģķ', encodings: baltic },
  { letters: 'äõüöšž', encodings: [...baltic, ...western] },
  // Vietnamese.
  {
    letters: 'đươăâêôáàéíóúạảãếềệốồộớờợứừựịọụ\u0301\u0300\u0309\u0303\u0323',
    encodings: [...unicode, 'windows-1258'],
  },
  // Greek.
  {
    letters: 'αοιετσνρκηςπλμυάίόέγώδήχθφβξύζψϊϋΐΰ',
    encodings: [...unicode, 'windows-1253', 'iso-8859-7', 'ibm737'],
  },
  // Russian, Ukrainian, Belarusian, Bulgarian, Serbian, Macedonian.
  { letters: 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё', encodings: cyrillic },
  { letters: 'оанивітеркслудмпзягьбчйхюжцєшїщфґ', encodings: cyrillic },
  { letters: 'аенілоркстудпывмзягўцчбйшхжёэьюф', encodings: cyrillic },
  { letters: 'аоиентрсвлкдпмзъугябщчжйшхцюфь', encodings: cyrillic },
  { letters: 'аоиенрстувдкјпмлзгбчцшњљжћхђфџ', encodings: cyrillic },
  { letters: 'аоиетнрсвдклпумзбгјчштцњжќшфѓхљџѕ', encodings: cyrillic },
  // Hebrew, Arabic and Persian, Thai.
  { letters: 'יוהלארתבמשנכדקעםחפטגזצןסךףץ', encodings: [...unicode, 'windows-1255', 'iso-8859-8'] },
  {
    letters: 'اليمونرتبةعدسفهكقأحجشطصخإىذثئضءزغآؤظپچژگک،',
    encodings: [...unicode, 'windows-1256', 'iso-8859-6'],
  },
  {
    letters: 'านรกอเงวมยลสตดทบปคพ่้ีิัะแไโใจชหซผศฟฉญณธภถขฐฎ์็ูุึืๆฯฝฬฮฆฒฏฌำ๑๒๓๐',
    encodings: [...unicode, 'windows-874'],
  },
]

/** A language written in thousands of characters, and frequent ones among them. */
export type Script = {
  readonly frequent: string
  /** The first bytes of the usual characters, in an encoding that has them before the others. */
  readonly usual: { readonly encoding: KnowledgeEncoding; readonly from: number; readonly to: number }
  readonly encodings: readonly KnowledgeEncoding[]
}

/** Japanese, simplified and traditional Chinese, Korean. */
export const scripts: readonly Script[] = [
  {
    frequent:
      '日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨会社的新者法部最定主実問題体理業動全度場合用成物事所当政代明田相通性意方手力経自分員関内作発対目現同立開回価格商品注文返送料税込在庫数量番号住受付期限条件支払確認変更以応客様京都府県市区町村',
    usual: { encoding: 'shift_jis', from: 0x88, to: 0x97 },
    encodings: [...unicode, 'shift_jis', 'euc-jp', 'iso-2022-jp'],
  },
  {
    frequent:
      '的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九性通目华报立马命张活难神数件安表原车白应路期价格货退款订单号码量客户址邮箱税库存品称天费付质服务周支持上海北京广州',
    usual: { encoding: 'gb18030', from: 0xb0, to: 0xd7 },
    encodings: [...unicode, 'gb18030'],
  },
  {
    frequent:
      '的一是不了在人有我他這中大來上個國到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市眼體別處總才場師書比住員九性通目華報立馬命張活難神數件安表原車白應路期價格貨退款訂單號碼量客戶址郵箱稅庫存品稱費付質服務週支持臺灣灣台高雄',
    usual: { encoding: 'big5', from: 0xa4, to: 0xc6 },
    encodings: [...unicode, 'big5', 'gb18030'],
  },
  {
    frequent:
      '이다의는에을가한고하지로기도은사를리나자시어서인대해그라일아있정수부과보전것제상적원들스게장공구만주으트용없위비성여유중오세방동신연안조화회우모소국무선관미배송환불격품반객문번호량소포함영업까야요니습합됩됨때면든말더후간내물건개월년금요토서울경남북',
    usual: { encoding: 'euc-kr', from: 0xb0, to: 0xc8 },
    encodings: [...unicode, 'euc-kr'],
  },
]
