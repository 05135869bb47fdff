"""What the demo web's kite sites say: words for `blickfang.demo.writing.grammar`."""

KITES = """
= topic kites
= motif kite
= language en
= rows name form
Marigold Diamond | diamond
Swift Delta | delta
Postman Box | box
Red Herring | sled
Carpenter's Rokkaku | rokkaku
Six-point Star | hexagon
Paper Dragon | dragon
Harvest Diamond | diamond
Gull Delta | delta
Cody's Cousin | box
Tea-tray Sled | sled
Willow Rokkaku | rokkaku
Barn Door | hexagon
Ribbon Serpent | dragon
Penny Diamond | diamond
Night Delta | delta
Signal Box | box
Pocket Sled | sled
Tiger Rokkaku | rokkaku
Snowflake Hex | hexagon
Carnival Serpent | dragon
Schoolyard Eddy | diamond
Moth Delta | delta
Double Cell | box
Canvas Sled | sled
Thunder Rokkaku | rokkaku
Quilted Hexagon | hexagon
Long Tail Lena | dragon
Bermuda Cousin | hexagon
Coral Delta | delta
Weatherman's Cell | box
Checker Diamond | diamond
= trait sail ripstop nylon | cotton cambric | silk | mulberry paper | polyester spinnaker cloth
= trait colours red and yellow | blue and white | orange and black | green and yellow
  | purple and pink | red and blue | black and white | turquoise and orange
= trait spars bamboo | carbon tube | spruce | fibreglass rod | ramin dowel
= trait span 60..310
= trait line 40..250
= trait low 4..12
= trait high 24..48
= trait maker Ottoline Fisk | Mr Tanaka | the Hargreave sisters | Pedro Villanueva | Uncle Bram
  | Siew Lan | Georgie Watt
= trait place Windle Down | the Long Meadow | Ashby Sands | Cullen Common | the old airfield
= trait year 1891..2019
= view sky against a clear sky | under white clouds | at sunset | before a thunderstorm
  | in the morning haze
= view tail with a long tail | with a short tail | with streaming ribbons
= word wind a steady breeze | gusts | a light wind | a sea breeze | thermals | eight knots of wind
= word piece bridle | spar | keel | spine | tail | towing point | sail | tow ring | leading edge
  | cross spar | bow line | drogue
= word knot larks-head knot | bowline | prusik loop | figure-of-eight knot | sheet bend
= word flyer flyer | kite maker | beginner | child | sport kite pilot
= section facts [The kite|{name} in short|What it is]
{name} is a {form} kite with a span of {span} centimetres and a sail of {sail}.
The panels are sewn in {colours}, so that you can tell it from far away.
Its frame is made of {spars} and comes apart in the middle for carrying.
It flies on {line} metres of braided line in winds from {low} to {high} kilometres an hour.
The bridle has [two|three|four] legs, and the {piece} can be shifted by a {knot}.
{maker} designed it in {year} and has flown it on {place} ever since.
Compared with {other}, it pulls less and climbs at a steeper angle.
A {form} kite is [stable|forgiving|lively] in {wind}, provided the {piece} is straight.
The whole kite weighs hardly more than a letter, yet it lifts a small camera.
Its tail keeps the nose up; without one it spins in {wind}.
With {line} metres out, the {colours} sail is no bigger than a postage stamp.
It packs into a bag as long as an arm, {spars} and all.
The {form} form was chosen because it needs no tail in a steady wind.
Its sail area is small for a span of {span} centimetres, so it flies fast.
Beginners like it, for it launches from the hand in {wind}.
= section plan [How to build it|Plan and measurements|In the workshop]
Cut the sail from {sail}, leaving a hem of one centimetre on every edge.
Lay the {spars} along the spine and mark the crossing at a quarter of its length.
Sew a pocket for each {piece} and double the cloth where the {piece} rubs.
Tie the bridle with a {knot}, so that it slides under tension but holds in flight.
Glue is a mistake on {sail}; a flat-felled seam is stronger and lighter.
Bow the cross spar until the string stands a hand's breadth off the sail.
Balance the kite on a finger at the tow ring: both wings must hang level.
A {flyer} needs about two evenings, a sharp knife and a straight edge for this plan.
Bridle lines should all be measured twice and cut once, for {wind} forgives nothing.
Hang the tail last, and begin with one seven times as long as the spine.
Draw the outline on wrapping paper first, fold it along the spine, and check that both halves agree.
Hot-cut the {sail} with a soldering iron, and the edges will not fray.
The {piece} takes the load of every gust; reinforce it with a patch of sail tape.
{spars} should bend evenly: hold the ends, press on the floor, look along the curve.
Leave the bridle too long at first; knots can be moved, but cut line stays short.
= section flying [Flying it|In the air|Launching and landing]
Stand with your back to the wind and let a {flyer} hold {name} thirty steps away.
Give line while the kite climbs, and hold it when the sail begins to flutter.
If it dives to the left, move the {piece} a little to the right and try again.
In strong wind a lower towing point helps; in a light breeze raise it by a finger's breadth.
Never fly near overhead wires or under a thundercloud, and keep clear of the runway.
Gloves are no luxury: {line} metres of line under load burn like a hot wire.
A {form} kite will float when the line goes slack, so walk forward to bring it down.
The line angle tells more about the kite than its height.
Two kites on one {knot} make a train, and a train pulls like a horse.
Walk backwards with taut line, never run; a kite that needs running has too little wind.
When the pull grows too strong, walk toward the kite and the {piece} will ease.
Let a second {flyer} wind in the line while the first one walks it down by hand.
Turbulence behind trees reaches seven times their height, so stand well out on {place}.
Check the {knot} at the towing point each time before you let go.
= section festival [Festival report|A day on {place}|Who flew what]
At ten there was {wind} over {place}, and sixty kites were in the air by eleven.
{maker} brought {name} and flew it all day without touching the bridle.
The line-laundry, windsocks and spinning drogues filled the whole lower meadow.
In the rokkaku battle the last kite with an uncut line won a jar of plum jam.
Children built sleds from paper bags and ran until the {piece} fell off.
Above all of them stood {other}, on so much line that it looked like a stamp.
Toward evening the wind dropped and the night fly began, with lamps on every {piece}.
A [judge|marshal|flyer] measured the angle of each line with a plumb bob and a protractor.
The farmer who lends the field flew a {form} kite himself and lost it in an ash tree.
Teams from four countries flew ballet to music that the wind blew away.
A giant octopus of {sail} lay on the grass all morning and rose at noon like a building.
For the candy drop a {form} kite carried a box of sweets to thirty metres.
The workshop tent ran out of {spars} before lunch.
{maker} won the prize for the best homemade kite with a sail of {sail}.
= section past [Old kites|A short history|Where the form comes from]
The {form} kite is older than the name we give it; drawings from {year} show the same bridle.
Fishermen used such kites to carry a hook beyond the surf.
Before balloons, meteorologists sent thermometers up on trains of box kites.
In {year} a schoolboy won ten dollars for the first kite line across a gorge.
{maker} learned the craft from a paper merchant who also painted the sails.
Silk was dear, so the first sails were cut from
  [flour sacks|newspaper|old shirts|bed linen] and patched until nothing was left.
Soldiers hung beneath man-lifting kites and described what they saw by telephone.
Kite fighters coat the line with rice paste and ground glass to cut down a rival.
A photograph of {year} shows {place} with a camera hanging from the kite line.
Kites of this form were sold by street pedlars in {year} for a few pence.
The army bought a hundred of them, the weather bureau twice as many.
Letters describe how the {piece} was shaped over a candle flame.
A museum keeps a sail of {sail} with the maker's stamp still red.
Sailors flew them from the stern to lift an aerial wire for the first radio sets.
= captions
{name}, a {form} kite in {colours}, {sky}
{form} kite {name} flying {sky} {tail}
{name} {tail} over {place}
{maker}'s {name} in the air {sky}
The {colours} sail of {name} {sky}
{name}: {form} kite of {sail}, span {span} cm
= blurbs
{form} kite in {colours}, span {span} cm, flies from {low} to {high} km/h.
Designed by {maker}; {sail} on {spars}.
{name} needs {line} metres of line and a meadow as wide as {place}.
= articles
How to tie a bridle | plan flying
Reading the wind on a meadow | flying facts
Kites that carried cameras | past facts
A festival on the down | festival flying
Choosing cloth and spars | plan past
"""
