"""What the demo web's English lighthouse sites say: words for `blickfang.demo.writing.grammar`."""

LIGHTHOUSES = """
= topic lighthouses
= motif lighthouse
= language en
= rows name place sea
Corran Point | Corran | the Sound of Merrin
Skarvoe | Skarvoe Island | the Norse Channel
Black Ness | Nessmouth | the Firth of Ayrdale
Gannet Rock | Port Gannet | the outer shoals
St Brannoc's Head | Brannoc | the Western Approaches
Old Tarn Harbour | Tarnmouth | the Bay of Tarn
Whin Sker | Whinhaven | the Whin Reef
Lanner Island | Lanner | the Lanner Narrows
Cape Orrin | Orrinby | the Orrin Bank
Maiden Stack | Maidenport | the Maiden Race
Pell Spit | Pellwick | the Pell estuary
Thorn Skerry | Thornsay | the Thorn Passage
Saltmouth Mole | Saltmouth | Saltmouth Roads
Hollow Head | Hollowcombe | the Hollow Sands
Ravenscar Low | Ravenscar | the Scar Deep
Trewarren | Trewarren Cove | the Warren Ledges
Kilbrae | Kilbrae Bay | the Brae Firth
Eddyrock | Eddyport | the Eddy Shoals
North Gallow | Gallowby | the Gallow Flats
Dunmarrow | Marrow | the Marrow Sound
Fair Holm | Holmwick | the Fair Isle Gap
Cutlass Bar | Barhaven | the Cutlass Bar
Penmorva | Morva | the Morva Teeth
Stoer Calf | Stoerness | the Calf Strait
Quillon Point | Quillon | the Quillon Grounds
Widow's Reef | Reefend | Widow's Reef
Anvil Cliff | Anvilstow | the Anvil Bight
Sandwith Leading | Sandwith | the Sandwith Channel
Hag's Tooth | Haggerston Quay | the Tooth Rocks
Marram Dune | Marramsea | the Marram Shallows
Bell Island | Bellport | the Bell Sound
Lychett Pier | Lychett | Lychett Harbour
Cold Ness | Coldharbour | the Cold Ness overfalls
Tinker's Light | Tinkerton | the Tinker Banks
Ormsby Tower | Ormsby | the Orm Deep
Fiddler's Elbow | Elbowhaven | the Elbow Current
= trait year 1788..1934
= trait height 11..49
= trait range 9..26
= trait steps 74..217
= trait order first-order | second-order | third-order | fourth-order
= trait colours red and white | black and white | white | red | grey and red | yellow and black
  | green and white | blue and white
= trait pattern bands | bands | spiral | plain | halves
= trait stone granite | dressed sandstone | brick | cast iron plates | whitewashed rubble |
  limestone
= trait character one white flash every five seconds | two white flashes every ten seconds
  | three flashes every twenty seconds | an occulting white light of eight seconds
  | a fixed red sector over the rocks and white elsewhere | a group of four flashes every half
  minute
  | one long flash every fifteen seconds
= trait engineer Josiah Halloran | Thomas Stevenage | Agnes Merrow | Captain Elias Brandt
  | Robert Allandyce | the Brothers Quine | William Douglass Tarrant
= trait keeper Ewan McAllard | Mary Trescothick | Jonas Peel | the Sinclair family | Hannah Orr
  | Old Ned Barrow | Silas Penhale | Margaret Isbister
= trait automated 1961..1998
= view hour by day | at dusk | at night | in the early morning | in fog | on a bright afternoon
= view angle seen from the sea | seen from the cliff path | from the landing | from the north
  | above the breakers | across the bay
= word weather fog | a westerly gale | driving sleet | a heavy swell | thick haze | a winter storm
  | drizzle | a falling barometer
= word vessel coaster | herring drifter | brig | tanker | ferry | collier | schooner | pilot cutter
= word mariner skipper | helmsman | pilot | fisherman | mate of a passing ship | lifeboat coxswain
= word part lantern room | gallery | lens | clockwork | lamp | tower | oil store | stairwell
  | parapet | cupola | optic | weather vane
= word danger shoal | reef | half-tide rock | sandbank | tidal race | submerged ledge
= section facts [The tower|About {name}|{name} in short]
{name} lighthouse stands [above|near|just outside] {place} and marks the {danger} at the edge of
  {sea}.
The tower is {height} metres high, built of {stone}, and painted {colours}.
It was first lit in {year} and shows {character}.
On a clear night the beam carries {range} nautical miles before the horizon swallows it.
A {order} Fresnel lens turns in the lantern room and throws the beam across {sea}.
[Visitors|Keepers] climb {steps} steps from the door to the gallery.
The daymark, {colours} in {pattern}, lets a {mariner} recognise the tower long before dark.
The focal plane lies well above high water, so the light clears the {danger} in {weather}.
Charts give the light as {character}, and the light list adds a fog signal.
In the {part} one still finds the maker's plate of {engineer}.
Unlike {other}, it has a round tower with a stone gallery and a copper cupola.
The station consists of the tower, two cottages for the keepers, an oil store and a walled garden.
Seen from {sea}, the tower shows {colours} and a lantern with diamond panes.
At {height} metres it is [hardly the tallest|one of the taller ones] on this coast, but it stands
  high.
{engineer} is named as its builder; {stone} was the material at hand.
Pilots take the light in line with the church of {place} to clear the {danger}.
The number of steps, {steps}, is painted on the wall of the stairwell.
= section history [History|How the light came to {place}|The building of the tower]
Before {year} a coal fire in an iron basket was the only beacon at {place}.
After a {vessel} struck the {danger} in {weather}, the merchants of {place} asked for a lighthouse.
{engineer} drew the plans and had the {stone} shipped over from the mainland.
Masons could land only at slack water, and [a heavy swell|a winter storm|an autumn gale] twice
  swept away their scaffold.
The lamp was lit for the first time in the autumn of {year}, and half the parish came to watch.
Whale oil gave way to paraffin, paraffin to acetylene, and acetylene to the electric lamp.
The revolving optic ran on clockwork: a weight descended the tower and was wound up by hand.
In {automated} the station was automated and the last keeper rowed ashore with his cat and his
  logbook.
During the war the light was dimmed and the {part} was painted grey against aircraft.
The old lens was taken down in {automated} and can be seen in the museum at {place}.
[Twice|More than once] the sea broke the panes of the lantern and put out the lamp.
A committee compared the rock with {other} and found the landing even worse.
An act of {year} allowed a toll on every {vessel} that passed, and the toll paid for the tower.
The foundation stone was laid by a bishop, who is said to have been seasick on the way.
The first lamp burned colza oil and had to be trimmed every two hours.
When the {vessel} Margaret was lost on the {danger}, the light was raised by two storeys.
Until {automated} three keepers and their families lived beside the tower.
Letters about the cost of the lantern fill a whole shelf in the archive of {place}.
= section light [The light and its lens|The beam|How the light works]
The prisms of the {order} lens gather the lamp's rays and bend them into one flat beam.
What the {mariner} sees is {character}; no other lighthouse on this coast has the same rhythm.
The lens floats on a bath of mercury and can be turned with one finger.
Each light has its own character, so that a {vessel} coming in from {sea} knows where she is.
The lamp itself is no larger than a hand, yet its flash is seen {range} miles out to sea.
A red sector warns of the {danger}: who sees red must alter course at once.
In {weather} the horn sounds, and older people at {place} still miss the bell.
Every evening the keeper trimmed the wicks, polished the brass and wound the clockwork.
Curtains were drawn round the lantern by day, for the sun through the lens could set the tower on
  fire.
The gallery rail is painted every spring, because salt eats iron faster than rust does.
A mirror behind the flame was the first idea; lenses of ground glass were the better one.
The rhythm comes from the turning lens and the blinds around it, not from switching the lamp.
From the deck of a {vessel} the loom of the light can be seen long before the light itself.
Sector lights show white where the water is deep and red or green where it is not.
In the log the keeper noted the hour of lighting and the hour of putting out, to the minute.
= section people [The keepers|Life at the light|Three men and a lamp]
{keeper} kept the light for [nineteen|twenty-two|thirty-one] years and missed only one evening.
The keepers stood watch in turns of four hours, with {weather} for company.
Bread, coal, oil and letters came by boat, when the boat could land at all.
{keeper} wrote in the log: wind rising, lamp burning well, a {vessel} standing off {sea}.
Children of the station learned to count by the flashes on the bedroom wall.
One winter the relief boat could not cross for seven weeks and they lived on salt fish and biscuit.
The keeper's wife tended the lamp alone while the men were out at the wreck.
A bell-wire ran from the {part} to the bed of the second keeper.
When the {vessel} went aground, {keeper} rowed out through the surf and brought eleven people
  ashore.
The assistant keepers painted, scraped, oiled and painted again; so the years went by.
A keeper had to read, write, swim a little and not mind being alone.
{keeper} planted potatoes behind the wall, the only place the spray does not reach.
On Sundays the keepers hoisted a flag, and on Christmas a {mariner} brought them a goose.
The youngest assistant was sixteen and afraid of the {part} at night.
Visitors signed a book; the first entry is from {year} and complains about the stairs.
= section visit [Our visit|Getting there|A day at {name}]
We left {place} at low water and walked along the cliff path until the tower rose from the gorse.
The door stood open, and a volunteer in an oilskin jacket took us up all {steps} steps.
From the gallery you look down on {sea} and, on good days, as far as {other}.
Take a torch for the stairwell and something warm, for it is windy at the {part}.
The keepers' cottages can be rented, and at night the beam sweeps over the bedroom ceiling.
Boats leave the harbour of {place} at ten, if the swell allows a landing.
I photographed the tower {hour}, when the {colours} paint stands out best against the sky.
Lunch was soup in the oil store, which is now a tea room run by the lighthouse trust.
A [seal|cormorant|pair of gannets] watched us from the {danger} while we waited for the boat.
We counted the flashes from the beach: {character}, exactly as the light list says.
My daughter asked why the lighthouse wears {colours}, and the guide explained what a daymark is.
The last bus to {place} is full of walkers with wet boots and lighthouse stamps in their books.
Nobody had told us that the tide covers the causeway for five hours.
On the gallery you hold on to the rail and to your hat, in this order.
We stayed until the lamp came on, {range} miles of it, and walked back in the dark.
A guide showed us the {part} and let the children turn the lens by hand.
= section keeping [Keeping a light today|Work that never ends|Repairs]
Volunteers repaint the tower every [four|five|six] years, with ropes and a great many brushes.
Salt water creeps into the {stone}, so the joints are raked out and pointed with lime.
The lantern panes are washed each month, inside and out, or the beam grows dull.
A spare lamp swings into place by itself when the first one fails.
Solar panels on the gallery feed the batteries, and the generator starts only in {weather}.
An inspector checks the focal plane, the sectors and the rhythm of the flashes once a year.
The {part} needs most care: brass turns green, putty cracks, hinges seize.
Anyone who finds a lighthouse unlit should report it to the coastguard, who will warn every
  {vessel}.
The trust raises money with open days, postcards and a summer raffle for a night in the lantern
  room.
Rust is chipped off, the bare iron primed, and the gallery painted before the first gale of autumn.
The mercury bath of the old lens was drained and replaced by bearings.
Bird droppings, salt and spiders are what dims a lens; vinegar helps against all three.
A camera watches the lamp, and an alarm goes to a duty officer two hundred miles away.
Whoever rents the keeper's cottage also sweeps the stairs.
= captions
The {colours} tower of {name} lighthouse {hour}, {angle}
{name} lighthouse {hour}
{name} light above {place}, {hour}, {angle}
Lighthouse of {name}: {colours} tower, {height} metres, lit {year}
{name} {hour} with its beam over {sea}
The lighthouse at {place} {angle}
= blurbs
{colours} tower of {height} metres near {place}, lit {year}; {character}.
Built by {engineer} in {year}; the beam of {name} reaches {range} miles over {sea}.
A {order} light that warns of the shoals off {place}.
{name}: {steps} steps, {stone}, automated in {automated}.
= articles
How to read a light list | light keeping
Why lighthouses wear stripes | facts keeping
The last keepers of the coast | people history
A weekend among the lights | visit light
Lamps, lenses and clockwork | light history
"""
